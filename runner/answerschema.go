package runner

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/schema"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// fit converts an answer to the form of the run's schema. The error is worded for the model.
func (c config) fit(given string) (string, error) {
	fitting, err := c.answerForm.Fit(given)
	if err == nil && c.answerType != nil {
		err = schema.Decode(fitting, reflect.New(c.answerType).Elem())
	}
	return fitting, err
}

// mostExample bounds the example of a form in a message, in characters.
const mostExample = 400

// example is an answer of the required form, as a cell would write it.
func (c config) example() string { return text.Line(c.answerForm.Example(), mostExample) }

// finalName is the name under which cells call FINAL.
func (c config) finalName() string {
	if name := c.Rename[answer.NameFinal]; name != "" {
		return name
	}
	return answer.NameFinal
}

// fitCell checks a cell's answer against the schema. An answer that does not fit is dropped and becomes the cell's
// error.
func (c config) fitCell(res *sandbox.Result) {
	if c.answerForm != nil && res.Error != nil {
		c.showForm(res.Error)
	}
	if c.answerForm == nil || res.Final == nil {
		return
	}
	fitting, err := c.fit(res.Final.Answer)
	if err == nil {
		res.Final.Answer = fitting
		return
	}
	said := fmt.Sprintf("cell %d: %s: %v%s, so the run goes on. %s", res.Cell, res.Final.Signal, err, notTaken,
		c.fittingLine())
	res.Error = &repl.CellError{Kind: cellerror.UnfitAnswer, Message: said}
	res.Final = nil
}

// notTaken follows the reason in the error of a cell whose answer does not fit.
const notTaken = "; it was not taken"

func (c config) fittingLine() string {
	return "This has the form: " + c.finalName() + "(" + c.example() + ")"
}

// ofTheForm matches the name of an answer type in a compile error.
var ofTheForm = startup.Regexp(`\b` + schema.TypeName + `([A-Z]\w*)?\b`)

// showForm extends a compile error that names a type of the answer by an example call that fits the schema.
func (c config) showForm(err *repl.CellError) {
	line := c.fittingLine()
	if err.Kind == cellerror.CompileError && ofTheForm().MatchString(err.Message) &&
		!strings.Contains(err.Message, line) {
		err.Message += "\n" + line
	}
}

// guardSchema is the guard that reminds the model when an answer in prose does not fit.
const guardSchema termination.Guard = "answer_schema"

// fitVerdict checks the answer that a turn ends with against the schema. If the model gave an answer that does not
// fit, the answer is sent back unless a limit is reached; fitEnd drops all others that do not fit.
func (r *run) fitVerdict(t termination.Turn, v termination.Verdict) termination.Verdict {
	if !r.typed() || v.Action != termination.Stop || !v.End.HasAnswer {
		return v
	}
	fitting, err := r.cfg.fit(v.End.Answer)
	given := v.End.Fired == termination.BySignal || v.End.Fired == termination.ByFinal ||
		v.End.Fired == termination.ByProse
	switch {
	case err == nil:
		v.End.Answer = fitting
	case given && r.state.Limit == nil:
		said := fmt.Sprintf("Your answer was not taken: %v. Give it in a ```go cell, in this form: %s(%s)", err,
			r.policy.Names.Final, r.cfg.example())
		r.unfit = err.Error()
		r.state, v = r.policy.Unfit(r.state, t, v, termination.Reminder{Guard: guardSchema, Text: said})
	}
	return v
}

// fitEnd drops an answer that does not fit at the end of a run. If a limit ended the run, the reason also states
// why the model's last answer did not fit.
func (r *run) fitEnd(e termination.End) termination.End {
	if !e.HasAnswer && e.Fired == termination.ByLimit && r.unfit != "" {
		e.Reason += "; the last answer was not accepted: " + text.Line(r.unfit, mostExample)
	}
	if !r.typed() || !e.HasAnswer {
		return e
	}
	fitting, err := r.cfg.fit(e.Answer)
	if err == nil {
		e.Answer = fitting
		return e
	}
	e.Answer, e.HasAnswer, e.From, e.Var, e.RequiresReview = "", false, "", "", false
	e.Reason += "; the answer so far does not fit the schema: " + err.Error()
	if e.Status == termination.Completed || e.Status == termination.PendingReview ||
		e.Status == termination.ImplicitCompletion {
		e.Status = termination.Failed
	}
	return e
}
