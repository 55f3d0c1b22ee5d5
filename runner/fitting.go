package runner

import (
	"fmt"
	"reflect"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/schema"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// fit holds an answer to the run's schema. The error is for the one who gave it.
func (c config) fit(text string) (string, error) {
	fitting, err := c.answerForm.Fit(text)
	if err == nil && c.answerType != nil {
		err = schema.Decode(fitting, reflect.New(c.answerType).Elem())
	}
	return fitting, err
}

// fitCell takes an answer that does not fit away from the cell that gave it, and makes it the cell's failure.
func (c config) fitCell(res *sandbox.Result) {
	if c.answerForm == nil || res.Final == nil {
		return
	}
	fitting, err := c.fit(res.Final.Answer)
	if err == nil {
		res.Final.Answer = fitting
		return
	}
	res.Error = &repl.CellError{Kind: repl.KindUnfitAnswer, Message: fmt.Sprintf("cell %d: %s: %v; it was not taken, so the run goes on", res.Cell, res.Final.Signal, err)}
	res.Final = nil
}

// guardSchema speaks where an answer in prose does not fit.
const guardSchema termination.Guard = "answer_schema"

// fitVerdict holds the answer that a turn ends with to the schema. One that the model gave is sent back; any other one counts
// as none.
func (r *run) fitVerdict(v termination.Verdict) termination.Verdict {
	if r.declaration() == "" || v.Action != termination.Stop || !v.End.HasAnswer {
		return v
	}
	fitting, err := r.cfg.fit(v.End.Answer)
	given := v.End.Fired == termination.BySignal || v.End.Fired == termination.ByFinal || v.End.Fired == termination.ByProse
	switch {
	case err == nil:
		v.End.Answer = fitting
	case given && r.state.Limit == nil:
		text := fmt.Sprintf("Your answer was not taken: %v. Call %s(%s{…}) in a ```go cell.", err, r.policy.Names.Final, schema.TypeName)
		v.Action, v.End = termination.Continue, nil
		v.Nudges = append(v.Nudges, termination.Nudge{Guard: guardSchema, Text: text})
	}
	return v
}

// fitEnd drops an answer that does not fit at the end of a run.
func (r *run) fitEnd(e termination.End) termination.End {
	if r.declaration() == "" || !e.HasAnswer {
		return e
	}
	fitting, err := r.cfg.fit(e.Answer)
	if err == nil {
		e.Answer = fitting
		return e
	}
	e.Answer, e.HasAnswer, e.From, e.Var, e.RequiresReview = "", false, "", "", false
	e.Reason += "; what there is does not fit the schema: " + err.Error()
	if e.Status == termination.Completed || e.Status == termination.PendingReview || e.Status == termination.ImplicitCompletion {
		e.Status = termination.Failed
	}
	return e
}
