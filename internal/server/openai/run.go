package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// run is the run of one request. It goes on in the server by itself; any number of requests with the same key wait for it.
type run struct {
	api     *API
	ask     *ask
	turn    turn
	said    string // names the conversation up to the question
	session *live.Session
	after   int64 // event behind which its own begin
	grant   Grant
	resumed bool

	question question
	options  []runner.Option

	ended chan struct{} // closed when it is over and the session is free
	end   *trajectory.RunEnded
	err   error // why there is no end
	cost  float64

	mu      sync.Mutex
	readers int
	keeps   bool // it goes on without readers
	stopped bool
	done    bool // the session does nothing of it any more
}

// join counts one more reader, unless the run is being stopped.
func (r *run) join() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.readers++
	}
	return !r.stopped
}

// perform is what the session does for the run.
func (r *run) perform(ctx context.Context, rs *runner.Session) (err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = true
	}()
	model, sub := rs.Model(), rs.SubModel()
	if err := rs.Set(r.options...); err != nil {
		return wrong("", err.Error())
	}
	budgets := runner.WithBudgets(r.ask.lowered(rs.Budgets(), r.grant.Left()))
	stop := runner.WithStop(func(st runner.State) (string, bool) {
		return "the budget of this key for today is used up", !r.grant.Spent(st.Cost)
	})
	if err := rs.Set(budgets, stop); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rs.Set(r.api.usual(model, sub)...)) }()
	if err := r.addDocuments(ctx, rs); err != nil {
		return err
	}
	events := rs.Ask(ctx, r.question.text)
	if r.resumed {
		events = rs.Resume(ctx)
	}
	for ev, err := range events {
		if err != nil {
			return err
		}
		if end, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
			r.end = &end
			if end.Cost != nil {
				r.cost = *end.Cost
			}
		}
	}
	return r.remember()
}

// addDocuments makes what came with the request part of the context.
func (r *run) addDocuments(ctx context.Context, rs *runner.Session) error {
	have := rs.Documents()
	var inputs []runner.Input
	var opened []io.Closer
	defer func() {
		for _, c := range opened {
			_ = c.Close() // it was only read
		}
	}()
	for _, d := range r.question.docs {
		if slices.ContainsFunc(have, func(o runner.Document) bool { return o.Name == d.name }) {
			continue // an earlier message of the conversation brought it
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
			return wrong("messages", err.Error())
		}
		return err
	}
	return nil
}

// remember lets the next request find the notebook: one that sends the conversation with this answer continues in it.
func (r *run) remember() error {
	if r.end == nil || r.said == "" || !r.end.HasAnswer {
		return nil
	}
	t := r.turn
	t.Said = message{roleAssistant, []part{{text: r.end.Answer}}}.hash(r.said)
	return r.api.turns.keep(t)
}

// finish says that the run is over.
func (r *run) finish(err error) {
	if r.end == nil {
		r.err = err
		if err == nil {
			r.err = errors.New("the run ended without saying how")
		}
	}
	if err != nil {
		r.api.cfg.Log.Warn("failed", "session", r.turn.Session, "run", r.turn.Run, "code", failureOf(err).Code)
		r.api.cfg.Log.Debug("failed", "session", r.turn.Session, "run", r.turn.Run, "error", err) // what it says may be of the contents
	}
	r.grant.End(r.cost)
	r.api.forget(r)
	close(r.ended)
}

// wait waits for the end.
func (r *run) wait(ctx context.Context) error {
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failure says why there is no answer; nil if there is one, or a budget was used up. The run has ended.
func (r *run) failure() *Failure {
	if r.end == nil {
		return failureOf(r.err)
	}
	return failed(*r.end)
}

// leave says that a reader is gone. With the last one the run is stopped, unless it is to go on by itself.
func (r *run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers--; r.readers <= 0 && !r.keeps {
		r.halt()
	}
}

// stop ends the run. What it has paid for is recorded.
func (r *run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.halt()
}

// halt stops the run, unless the session does something else by now. The caller holds mu.
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

// errOver ends the reading of a run's events.
var errOver = errors.New("the run is over")

// follow tells the events of the run as they come, until it is over.
func (r *run) follow(ctx context.Context, tell func(trajectory.Event) error) error {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.ended:
			if r.end == nil {
				cancel() // no event says so
			}
		case <-reading.Done():
		}
	}()
	err := r.session.Read(reading, r.after, false, func(frames []live.Frame) error {
		for _, fr := range frames {
			var ev trajectory.Event
			if err := json.Unmarshal(fr.JSON, &ev); err != nil {
				continue // a reader skips what it does not know
			}
			if err := tell(ev); err != nil {
				return err
			}
			if _, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
				return errOver
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	return r.wait(ctx)
}
