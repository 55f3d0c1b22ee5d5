package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/gorlm/rlm/runner/internal/schema"
)

// ErrNoAnswer is the error of AnswerAs for a run that ended without an answer; Result gives the reason.
var ErrNoAnswer = errors.New("the run ended without an answer")

// AnswerAs runs a question to its end, like Runner.Answer, and returns the answer as a Go value. The schema is
// derived from T as llm_query_json derives it: from JSON tags; a pointer or omitempty makes a field optional, and a
// tag description:"…" explains it. The constants of a type are not visible here, so a tag lists the values that a
// field, or each element of a list or map, may have:
//
//	Severity Severity `json:"severity" enum:"low,high"`
//	Stars    []int    `json:"stars" enum:"1,2,3"`
//
// The model sees the values with its type Answer; an answer with any other value is refused, which costs a turn.
// The tag works for text and whole numbers; a value can neither contain a comma nor begin or end with a space.
//
// AnswerAs fails for a T that JSON cannot represent, and with ErrNoAnswer for a run without an answer.
func AnswerAs[T any](ctx context.Context, r *Runner, question string, inputs ...Input) (T, Result, error) {
	var v T
	typed, err := r.typed(reflect.TypeFor[T]())
	if err != nil {
		return v, Result{}, err
	}
	res, err := typed.Answer(ctx, question, inputs...)
	switch {
	case err != nil:
		return v, res, err
	case !res.HasAnswer:
		return v, res, fmt.Errorf("%w: %s (%s)", ErrNoAnswer, res.Reason, res.Status)
	}
	err = schema.Decode(res.Answer, reflect.ValueOf(&v).Elem())
	return v, res, err
}

// typed returns a runner whose answers are values of a Go type.
func (r *Runner) typed(t reflect.Type) (*Runner, error) {
	for t.Kind() == reflect.Pointer && t.Name() == "" { // an answer is never null
		t = t.Elem()
	}
	s, err := schema.Of(t)
	if err != nil {
		return nil, err
	}
	cfg, err := r.cfg.with(func(c *config) { c.Schema, c.answerType = s.JSON, t })
	return &Runner{cfg: cfg}, err
}
