package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// run is the run of a request. It is independent of the request: any number of requests with the same key can wait
// for it.
type run struct {
	api     *API
	ask     *ask
	turn    turn
	said    string // hash of the conversation up to the question
	pair    string // hash of the messages since the previous answer
	session *session.Session
	after   int64 // number of the last event before the run
	grant   *session.Grant
	resumed bool

	notebook string // kept, forked or new
	why      string // why an existing notebook was not continued

	question question
	options  []runner.Option
	left     float64 // USD left of the day's budget when the run began; negative: no limit

	ended chan struct{} // closed once the run is over and the session is free
	end   *trajectory.RunEnded
	err   error // the error if there is no end

	mu      sync.Mutex
	readers int
	keeps   bool // it continues even without readers
	stopped bool
	done    bool // the session's task has ended
}

// join adds a reader, and reports false if the run is being stopped.
func (r *run) join() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.readers++
	}
	return !r.stopped
}

// perform runs as the session's task.
func (r *run) perform(ctx context.Context, rs *runner.Session) error {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = true
	}()
	lasting := []runner.Option{runner.WithBudgets(r.api.cfg.Budgets)}
	if r.ask.schema != "" { // it stays set, because the next question may have the same schema
		lasting = append(lasting, runner.WithSchema(r.ask.schema))
	}
	if err := rs.Set(lasting...); err != nil {
		return wrong("", err.Error())
	}
	r.left = r.grant.Left()
	budgets := runner.WithBudgets(r.ask.lowered(rs.Budgets(), r.left))
	stop := runner.WithStop(func(runner.State) (string, bool) {
		return "this key's budget for today is used up", !r.grant.Spent()
	})
	ctx = host.Within(ctx, append(r.options, budgets, stop, host.Share(r.grant))...)
	if err := r.addDocuments(ctx, rs); err != nil {
		return err
	}
	r.question.docs = nil
	r.ask.release()
	events := rs.Ask(ctx, r.question.text)
	if r.resumed {
		events = rs.Resume(ctx)
	}
	for ev, err := range events {
		if err != nil {
			return err
		}
		if end, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
			r.end = toldBack(end)
		}
	}
	return r.remember()
}

// addDocuments adds the documents of the request to the context.
func (r *run) addDocuments(ctx context.Context, rs *runner.Session) error {
	have := rs.Documents()
	var inputs []runner.Input
	var opened []io.Closer
	defer func() {
		for _, c := range opened {
			_ = c.Close() // nothing was written
		}
	}()
	for _, d := range r.question.docs {
		if slices.ContainsFunc(have, func(o runner.Document) bool { return o.Name == d.name }) {
			continue // added by an earlier message of the conversation
		}
		in, c, err := r.api.input(r.ask.who, d)
		if err != nil {
			return err
		}
		inputs, opened = append(inputs, in), append(opened, c)
	}
	if len(inputs) == 0 {
		return nil
	}
	if err := rs.AddContext(ctx, inputs...); err != nil {
		if errors.Is(err, runner.ErrNothingToRead) {
			return wrong(r.ask.spoken(), err.Error())
		}
		return err
	}
	return nil
}

// remember stores the turn such that a later request that contains the conversation, including this answer, finds
// the notebook.
func (r *run) remember() error {
	if r.end == nil || r.said == "" || !r.end.HasAnswer {
		return nil
	}
	t := r.turn
	answer := message{roleAssistant, []part{{text: r.end.Answer}}}
	t.Said, t.Pair = answer.hash(r.said), answer.hash(r.pair)
	return r.api.turns.keep(t)
}

// finish records how the run ended, and releases its resources.
func (r *run) finish(err error) {
	if r.end == nil {
		r.err = err
		if err == nil {
			r.err = errors.New("the run ended without a reason")
		}
	}
	if err != nil {
		r.api.cfg.Log.Warn("failed", "session", r.turn.Session, "run", r.turn.Run, "code", failureOf(err).Code)
		r.api.cfg.Log.Debug("failed", "session", r.turn.Session, "run", r.turn.Run, "error", err) // may quote contents
	}
	r.grant.End()
	r.ask.release()
	r.api.forget(r)
	close(r.ended)
}

// wait waits until the run has ended.
func (r *run) wait(ctx context.Context) error {
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lostAccess returns the failure to send if the client has lost access during its request, otherwise nil. Without
// it, many clients would mistake the part received so far for the whole answer.
func lostAccess(ctx context.Context) *Failure {
	if err := context.Cause(ctx); session.Is(err, "token") {
		return failureOf(err)
	}
	return nil
}

// failure returns why there is no answer; nil if there is one, if it was filtered, or if the model refused. The run
// must have ended.
func (r *run) failure() *Failure {
	if r.end == nil {
		return failureOf(r.err)
	}
	f := failed(*r.end)
	if f == nil {
		return nil
	}
	if r.end.Status == string(termination.CostLimit) && r.boundByDay() {
		if day := r.grant.Refusal(); day != nil && len(r.end.Usage) == 0 {
			f = failureOf(day) // no model was called
		} else {
			f.Message += " (what was left of this key's budget for the day)"
		}
	}
	f.about = r.about()
	return f
}

// boundByDay reports whether the rest of the day's budget limited the run's cost.
func (r *run) boundByDay() bool {
	bound := r.api.cfg.Budgets.Cost
	lower(&bound, r.ask.extra.MaxCost)
	return r.left >= 0 && (bound == 0 || r.left <= bound)
}

// lingers is how long a run continues for a client that timed out and will probably retry.
const lingers = 5 * time.Second

// part makes a request leave its run. If the client timed out, the run continues for a while, because such a client
// retries.
func (r *run) part(req *http.Request) {
	if q := r.ask; req.Context().Err() != nil && q.waits > 0 && time.Since(q.came) >= q.waits {
		time.AfterFunc(lingers, r.leave)
		return
	}
	r.leave()
}

// leave removes a reader. Without readers the run is stopped, unless it runs in the background.
func (r *run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers--; r.readers <= 0 && !r.keeps {
		r.halt()
	}
}

// stop stops the run. What it has paid for is recorded.
func (r *run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.halt()
}

// halt stops the run, unless the session is doing something else by now. The caller holds mu.
func (r *run) halt() {
	select {
	case <-r.ended:
		return
	default:
	}
	if !r.done {
		r.stopped = true
		r.session.Stop()
	}
}

// follow passes the run's events to tell as they arrive, until the run has ended.
func (r *run) follow(ctx context.Context, tell func(session.StreamItem) error) error {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.ended:
			if r.end == nil {
				cancel() // there will be no RunEnded
			}
		case <-reading.Done():
		}
	}()
	sessions := r.api.cfg.Sessions.As(r.ask.who, "api")
	for item, err := range sessions.Events(reading, r.turn.Session, session.EventOptions{After: r.after}) {
		if err == nil {
			err = tell(item)
		}
		if err != nil {
			return err
		}
		if _, ok := item.Event.Data.(trajectory.RunEnded); ok && item.Event.Path == "" {
			break
		}
	}
	return r.wait(ctx)
}
