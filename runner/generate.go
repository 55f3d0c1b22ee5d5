package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// generate calls a model, once the call is announced in the log. A panic of the model is its failure, not that of the program.
func generate(ctx context.Context, j *journal.Journal, m llm.Model, req llm.Request, on func(llm.Delta)) (resp llm.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the model %s panicked: %v", m.Name(), p)
			if cause, ok := p.(error); ok {
				err = fmt.Errorf("the model %s panicked: %w", m.Name(), cause)
			}
		}
	}()
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if err := j.Announced(); err != nil {
		return llm.Response{}, err
	}
	call, replied := untilReplied(ctx)
	defer replied()
	return m.Generate(call, req, on)
}

// retried reports that a call of a model waits for a retry; cell is the one whose sub-call it is.
func retried(cell int, model llm.Model, again *llm.Retry) trajectory.CallRetried {
	return trajectory.CallRetried{
		Cell: cell, Model: model.Name(), Reason: again.Reason, Attempt: again.Attempt, Tries: again.Tries, Wait: again.Wait,
	}
}

// fellBack reports that another model answers; cell is the one whose sub-call it is.
func fellBack(cell int, to *llm.Switch) trajectory.FellBack {
	return trajectory.FellBack{Cell: cell, Model: to.From, To: to.To, Reason: string(to.Reason)}
}

// keptParts are the parts of a reply as the log keeps them, and as the conversation gets them back.
func keptParts(parts []llm.Part) trajectory.Text {
	if len(parts) == 0 {
		return trajectory.Text{}
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return trajectory.Text{} // texts alone cannot fail
	}
	return trajectory.T(string(text))
}

func partsOf(kept trajectory.Text) (parts []llm.Part) {
	if kept.Size() == 0 || json.Unmarshal([]byte(kept.String()), &parts) != nil {
		return nil // those of a later version
	}
	return parts
}

// warnUnpriced says that the cost of a run will not be known in full. What runs on this machine has no price.
func (r *run) warnUnpriced(turn int, from llm.Model, model string) {
	if here, ok := from.(interface{ Local() bool }); ok && here.Local() {
		return
	}
	_ = r.journal.Append(r.path, turn, trajectory.Warned{
		About: "price", Text: fmt.Sprintf("the price of %s is not known, so its calls count in no cost and in no cost budget; a price table can name it", model),
	})
}
