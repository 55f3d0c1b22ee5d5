package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/idempotent"
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

// begin answers a request by a run: a new one, or that of its idempotency key. Leave it.
func (a *API) begin(ctx context.Context, q *ask) (*run, error) {
	if q.key == "" {
		return a.launch(ctx, q, nil)
	}
	claim, err := a.keys.Claim(ctx, q.who.Name, q.key, append([]byte(q.kind), q.body...))
	if err != nil {
		return nil, keyFailure(err)
	}
	defer claim.Release()
	if claim.Value == nil {
		return a.launch(ctx, q, claim)
	}
	return a.again(ctx, q, claim)
}

func keyFailure(err error) error {
	if errors.Is(err, idempotent.ErrOther) || errors.Is(err, context.Canceled) {
		return err
	}
	return wrong("Idempotency-Key", err.Error())
}

// again finds the run of a key that came before: one that goes on, one that is over, one that was interrupted, or none yet.
func (a *API) again(ctx context.Context, q *ask, claim *idempotent.Claim) (*run, error) {
	var t turn
	if err := json.Unmarshal(claim.Value, &t); err != nil {
		return nil, err
	}
	if r, err := a.running(ctx, t.ID); r != nil || err != nil {
		return r, err
	}
	l, err := a.cfg.Sessions.Get(t.Session)
	if err != nil || !a.cfg.May(q.who, l.ID()) {
		return nil, &Failure{Status: 410, Code: "run_deleted", Message: errGone.Error()}
	}
	runs, err := runsOf(l.Dir())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(runs, func(p pastRun) bool { return p.number == t.Run })
	switch {
	case i < 0: // the server ended before the question was put
		return a.launch(ctx, q, claim)
	case runs[i].unfinished() && i == len(runs)-1:
		r := &run{session: l, resumed: true}
		if err := a.admit(ctx, q, r); err != nil {
			return nil, err
		}
		return a.start(ctx, q, t, r, nil)
	}
	return a.over(q, t, l, runs[i].end), nil
}

// running is a run that goes on, with one more reader; nil if there is none. One that is being stopped is waited for.
func (a *API) running(ctx context.Context, id string) (*run, error) {
	a.mu.Lock()
	r := a.runs[id]
	a.mu.Unlock()
	if r == nil || r.join() {
		return r, nil
	}
	return nil, r.wait(ctx)
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

// over is a run that has ended.
func (a *API) over(q *ask, t turn, l *live.Session, end *trajectory.RunEnded) *run {
	r := &run{api: a, ask: q, turn: t, session: l, ended: make(chan struct{}), end: end, done: true}
	close(r.ended)
	return r
}

// launch begins a new run.
func (a *API) launch(ctx context.Context, q *ask, claim *idempotent.Claim) (*run, error) {
	p, err := a.place(q)
	if err != nil {
		return nil, err
	}
	asked, err := a.asked(q, p.messages, p.session != nil)
	if err != nil {
		return nil, err
	}
	if asked.text == "" {
		return nil, wrong("messages", "the question is empty")
	}
	r := &run{question: asked, said: p.said}
	if err := a.admit(ctx, q, r); err != nil {
		return nil, err
	}
	if err := a.settle(ctx, q, &p, r); err != nil {
		r.grant.End(0)
		return nil, err
	}
	t := turn{
		ID: q.newID(), Who: q.who.Name, Session: r.session.ID(), Run: p.run + 1, Schema: schemaHash(q.schema), Conversation: q.conversation,
		Model: q.model, Background: q.background, Metadata: q.metadata, Instructions: q.instructions, Created: time.Now().UTC().Truncate(time.Second),
	}
	return a.start(ctx, q, t, r, claim)
}

// admit finds out whether a run may begin, before anything is made for it.
func (a *API) admit(ctx context.Context, q *ask, r *run) (err error) {
	if r.options, err = a.options(ctx, q, r.question.system); err == nil {
		r.grant, err = a.cfg.Admit(q.who)
	}
	return err
}

// settle finds the session of a run: that of its place if it is free and nothing came after, a fork of it, or a new one.
func (a *API) settle(ctx context.Context, q *ask, p *place, r *run) error {
	var err error
	switch {
	case p.session == nil:
		r.session, err = a.create(ctx, q, r)
	default:
		var runs []pastRun
		runs, err = runsOf(p.session.Dir())
		last := len(runs) > 0 && runs[len(runs)-1].number == p.run && !runs[len(runs)-1].unfinished()
		free := p.session.State().Doing == ""
		switch {
		case err != nil:
		case p.one && !free:
			err = &live.BusyError{State: p.session.State()}
		case p.one || last && free:
			r.session = p.session
			return nil
		default:
			r.session, err = a.fork(ctx, q, p)
		}
	}
	if err == nil {
		err = a.cfg.Belongs(q.who, r.session.ID())
	}
	return err
}

func (a *API) create(ctx context.Context, q *ask, r *run) (*live.Session, error) {
	if len(r.question.docs) == 0 && q.who.Owner && !q.extra.Empty {
		return a.cfg.Sessions.Create(ctx, a.cfg.Inputs...)
	}
	return a.cfg.Sessions.Create(ctx)
}

// fork makes a session with the past that a question goes on from: it has gone on otherwise, or does at this moment.
func (a *API) fork(ctx context.Context, q *ask, p *place) (*live.Session, error) {
	fork, err := a.cfg.Runner.ForkAfter(ctx, p.session.ID(), p.run)
	if err != nil {
		return nil, &Failure{Status: 409, Code: "not_answered", Message: "the answer that this goes on from is not there yet: " + err.Error(), Once: true}
	}
	return a.cfg.Sessions.Take(fork)
}

// start begins a run in its session. What is begun under a key is on disk before.
func (a *API) start(ctx context.Context, q *ask, t turn, r *run, claim *idempotent.Claim) (*run, error) {
	r.api, r.ask, r.turn, r.ended, r.readers, r.keeps = a, q, t, make(chan struct{}), 1, q.background
	var err error
	if claim != nil {
		err = claim.Keep(t, time.Now())
	}
	if err == nil {
		err = a.turns.keep(t)
	}
	sum, serr := trajectory.Summarize(r.session.Dir())
	r.after = sum.Events
	if err = errors.Join(err, serr); err != nil {
		r.grant.End(0)
		return nil, err
	}
	a.mu.Lock()
	a.runs[t.ID] = r
	a.mu.Unlock()
	doing := "ask"
	if r.resumed {
		doing = "resume"
	}
	if err := r.session.Start(live.Actor{Name: q.who.Name, Client: "api"}, live.Doing{Name: doing, Run: true, Do: r.perform, Done: r.finish}); err != nil {
		a.forget(r)
		r.grant.End(0)
		var busy *live.BusyError
		if errors.As(err, &busy) && !r.resumed && q.conversation == "" && r.turn.Run > 1 { // somebody was faster: this one goes its own way
			return a.launch(ctx, q, claim)
		}
		return nil, err
	}
	a.cfg.Asked(q.who, doing, t.Session, t.Run)
	return r, nil
}

func (a *API) forget(r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, r.turn.ID)
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

// remember lets the next request find the notebook: whoever sends the conversation with this answer goes on in it.
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
		r.api.cfg.Log.Warn("a run of the API failed", "session", r.turn.Session, "run", r.turn.Run, "error", err)
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
