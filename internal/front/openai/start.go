package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// begin returns the run for a request: a new one, or the run of the request's idempotency key. The caller must
// leave it.
func (a *API) begin(ctx context.Context, q *ask) (*run, error) {
	switch {
	case q.key == "" && q.sdk:
		return a.sent(ctx, q)
	case q.key == "":
		return a.launch(ctx, q, nil)
	}
	claim, err := a.cfg.Sessions.Keys().Claim(ctx, q.who.Scope(), q.key, []byte(q.kind+q.sum))
	if err != nil {
		return nil, keyFailure(err)
	}
	defer claim.Release()
	if claim.Value == nil {
		return a.launch(ctx, q, claim)
	}
	var t turn
	if err := json.Unmarshal(claim.Value, &t); err != nil {
		return nil, err
	}
	return a.again(ctx, q, t, claim)
}

// sentFor is how long an automatic retry gets the run of the original request.
const sentFor = time.Hour

// sent returns the run for a request of a client that retries automatically: a retry gets the run of the original
// request.
func (a *API) sent(ctx context.Context, q *ask) (*run, error) {
	claim, err := a.cfg.Sessions.Keys().Claim(ctx, q.who.Scope(), "sent "+q.sentAs(), nil) // one at a time
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	if t, ok := a.turns.again(q.who, q.sentAs()); ok && q.again && time.Since(t.Created) < sentFor {
		return a.again(ctx, q, t, nil)
	}
	return a.launch(ctx, q, nil)
}

// sentAs returns a key that only equal requests share.
func (q *ask) sentAs() string { return q.kind + q.sum }

func keyFailure(err error) error {
	if errors.Is(err, session.ErrOther) || errors.Is(err, context.Canceled) {
		return err
	}
	return wrong("Idempotency-Key", err.Error())
}

// again returns the run of an earlier request, which is in progress, has ended, or is resumed. If no run had begun,
// it launches one.
func (a *API) again(ctx context.Context, q *ask, t turn, claim *session.Claim) (*run, error) {
	if r, err := a.running(ctx, t.ID); r != nil || err != nil {
		return r, err
	}
	l, err := a.cfg.Sessions.Find(q.who, t.Session)
	if err != nil {
		return nil, &Failure{Status: 410, Code: "run_deleted", Message: errGone.Error()}
	}
	runs, err := runsOf(l.Dir())
	if err != nil {
		return nil, err
	}
	i := t.among(runs)
	if i < 0 { // the server ended before the question was asked
		return a.launch(ctx, q, claim)
	}
	said, pair := "", ""
	if p, err := a.place(q); err == nil { // otherwise what it continued was deleted
		said, pair = p.said, p.pair
	}
	if runs[i].unfinished() && i == len(runs)-1 {
		r := &run{session: l, resumed: true, said: said, pair: pair}
		if err := a.admit(ctx, q, r); err != nil {
			return nil, err
		}
		return a.start(ctx, q, t, r, nil)
	}
	r := a.over(q, t, l, runs[i].end)
	if kept, ok := a.turns.get(t.ID); ok && kept.Said == "" { // the server was killed in between
		r.said, r.pair = said, pair
		err = r.remember()
	}
	return r, err
}

// running returns a run in progress, after adding a reader; nil if there is none. If the run is being stopped, it
// waits for the end and returns nil.
func (a *API) running(ctx context.Context, id string) (*run, error) {
	a.mu.Lock()
	r := a.runs[id]
	a.mu.Unlock()
	if r == nil || r.join() {
		return r, nil
	}
	return nil, r.wait(ctx)
}

// over returns a run that has already ended.
func (a *API) over(q *ask, t turn, l *session.Session, end *trajectory.RunEnded) *run {
	r := &run{api: a, ask: q, turn: t, session: l, ended: make(chan struct{}), end: end, done: true}
	close(r.ended)
	q.release()
	return r
}

// launch begins a new run.
func (a *API) launch(ctx context.Context, q *ask, claim *session.Claim) (*run, error) {
	p, err := a.place(q)
	if err != nil {
		return nil, err
	}
	asked, err := a.asked(q, p)
	if err != nil {
		return nil, err
	}
	if asked.text == "" {
		return nil, wrong(q.spoken(), "the question is empty")
	}
	r := &run{question: asked, said: p.said, pair: p.pair, why: p.why}
	if err := a.admit(ctx, q, r); err != nil {
		return nil, err
	}
	if p.one && p.session != nil { // before the stream opens, so that the status can report it
		err = p.session.Busy()
	}
	if err == nil {
		if q.id == "" {
			q.id = newID(q.kind)
			q.admitted(q.id)
		}
		err = a.settle(ctx, q, &p, r)
	}
	if err != nil {
		r.grant.End()
		return nil, err
	}
	t := turn{
		ID: q.id, Who: q.who.Scope(), Before: p.before.ID, System: p.before.System, Unstored: q.unstored,
		Session: r.session.ID(), Run: p.run + 1, Schema: schemaHash(q.schema), Conversation: q.conversation,
		Model: q.model, Background: q.background, Metadata: q.metadata, Instructions: q.instructions,
		Created: time.Now().UTC().Truncate(time.Second),
	}
	if asked.system != "" {
		t.System = short8(part{text: asked.system})
	}
	if q.sdk {
		t.Sent = q.sentAs()
	}
	return a.start(ctx, q, t, r, claim)
}

// admit checks whether a run may begin, before anything is created for it, and sets its options and grant.
func (a *API) admit(ctx context.Context, q *ask, r *run) (err error) {
	if err := a.cfg.Sessions.RoomFor(q.who, 0); err != nil {
		return err
	}
	if r.options, err = a.options(ctx, q, r.question.system); err == nil {
		r.grant, err = a.cfg.Sessions.Admit(q.who)
	}
	return err
}

// settle chooses the session of a run: the target's session if it is free and has no later question, otherwise a
// fork of it. If the target has no session, it makes one. A conversation's only notebook is never forked.
func (a *API) settle(ctx context.Context, q *ask, p *target, r *run) error {
	var err error
	switch {
	case p.session == nil:
		r.notebook = "new"
		r.session, err = a.create(ctx, q, r)
	default:
		var runs []pastRun
		runs, err = runsOf(p.session.Dir())
		last := len(runs) > 0 && runs[len(runs)-1].number == p.run && !runs[len(runs)-1].unfinished()
		free := p.session.State().Doing == ""
		switch {
		case err != nil:
		case p.one && !free:
			err = p.session.Busy()
		case p.one || last && free:
			r.session, r.notebook = p.session, "kept"
			return nil
		default:
			r.notebook, r.why = "forked", cmp.Or(r.why, "the notebook has moved on since, or is busy")
			r.session, err = a.fork(ctx, q, p)
		}
	}
	if err == nil {
		err = a.cfg.Sessions.Own(q.who, r.session.ID())
	}
	return err
}

func (a *API) create(ctx context.Context, q *ask, r *run) (*session.Session, error) {
	if len(r.question.docs) == 0 && q.who.Owner && !q.extra.Empty {
		return a.cfg.Sessions.Create(ctx, a.cfg.Inputs...)
	}
	return a.cfg.Sessions.Create(ctx)
}

// fork makes a session with the history that precedes the question, because the original has continued differently
// or is busy.
func (a *API) fork(ctx context.Context, q *ask, p *target) (*session.Session, error) {
	fork, err := a.cfg.Runner.ForkAfter(ctx, p.session.ID(), p.run)
	if err != nil {
		return nil, &Failure{
			Status: 409, Code: "not_answered",
			Message: "the answer that this continues from is not ready yet: " + err.Error(), Once: true,
		}
	}
	return a.cfg.Sessions.Take(fork)
}

// start begins a run in its session. If there is an idempotency key, the turn is on disk before the run begins.
func (a *API) start(ctx context.Context, q *ask, t turn, r *run, claim *session.Claim) (*run, error) {
	r.api, r.ask, r.turn, r.ended, r.readers, r.keeps = a, q, t, make(chan struct{}), 1, q.background
	var err error
	if claim != nil {
		err = claim.Keep(t, time.Now())
	}
	if err == nil {
		err = a.turns.keep(t)
	}
	if err == nil {
		r.after, err = r.session.Last()
	}
	if err != nil {
		r.grant.End()
		return nil, err
	}
	a.mu.Lock()
	a.runs[t.ID] = r
	a.mu.Unlock()
	doing, by := "ask", session.Actor{Person: q.who, Client: "api", Request: t.ID}
	if r.resumed {
		doing, by.Request = "resume", "" // the log already has the request
	}
	perform := func(doing context.Context, rs *runner.Session) error {
		return r.perform(host.UnderSpanOf(doing, ctx), rs)
	}
	if _, err := r.session.Start(by, session.Task{Name: doing, Run: true, Do: perform, Done: r.finish}); err != nil {
		a.forget(r)
		r.grant.End()
		if session.Is(err, session.Busy) && !r.resumed && q.conversation == "" && r.turn.Run > 1 { // fork it
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
