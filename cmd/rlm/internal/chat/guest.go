package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// guest is a terminal that shares a session of a server. It shows from the server's events all that happens there, also what others began; what is typed
// here is sent as a request as soon as the session is free.
type guest struct {
	board
	opt      Joined
	attached map[string]bool // files that questions named
	gone     error           // why nothing more comes

	// The board's mutex guards what follows.
	id      string
	until   int64  // number of the last event when it was joined
	leave   func() // ends looking at this session
	joined  int    // how many states were told when it was joined
	state   client.State
	told    int           // how many states were told so far
	mine    int           // number of the last one that says that this client does something
	changed chan struct{} // closed when the next one is told
	past    past
}

// lobby is where a guest shows what happens.
type lobby struct {
	sink
	failed func(err error) // what was begun did not work
	state  func(s shared)  // somebody does something, or nobody
	gone   func()          // nothing more comes
}

// shared says what a session does that others are in, too.
type shared struct {
	others string // who does what, if somebody else does
	ahead  int    // questions that are answered before one's own
}

// newGuest joins a session. The screen is not there yet.
func newGuest(ctx context.Context, opt Joined, s client.Session) *guest {
	g := &guest{opt: opt, id: s.ID, until: s.Events, leave: func() {}, attached: map[string]bool{}, changed: make(chan struct{})}
	g.setUp(opt.Width, opt.Colour, !opt.Terminal)
	g.commands, g.ids = g.list(), g.sessionIDs
	g.refresh(ctx)
	return g
}

func (g *guest) greeting(out sink) {
	first := g.render.paint(bold, "rlm") + g.render.paint(faint, " · session "+g.here()+" of a server, with all who are in it · /help lists the commands")
	out.show(first + "\n" + g.render.paint(faint, g.look().text))
	for _, w := range g.takeWarnings() {
		out.show(g.render.paint(red, g.render.wrap(w, 0)))
	}
}

func (g *guest) goOn() string {
	return "the session stays with the server; go on with: " + g.opt.Again + " " + g.here()
}

func (g *guest) failure(err error) string {
	if errors.Is(err, context.Canceled) {
		return g.render.paint(faint, "stopped; the session is kept")
	}
	return g.render.paint(red, "error: ") + g.render.wrap(err.Error(), 7)
}

func (g *guest) submit(ctx context.Context, text string, out sink) (quit bool, err error) {
	return g.take(ctx, g, text, out)
}

// beside reports whether what was typed only looks at something.
func (g *guest) beside(text string) bool {
	in, err := parseEntry(text, g.typesCells())
	switch {
	case err != nil || in.kind == entryToggle:
		return true
	case in.kind == entryHelp:
		_, ok := g.helpFor(in.text)
		return ok
	case in.kind == entryCommand:
		cmd, _, err := g.find(in.text)
		return err != nil || cmd.beside
	}
	return false
}

// lookTime is how long a look at the session may take.
const lookTime = 20 * time.Second

func (g *guest) refresh(ctx context.Context) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errStopped) {
		return // the person leaves
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	settings, err := g.opt.Client.Settings(ctx, g.here())
	if err != nil {
		g.warn(err)
		return
	}
	vars, err := g.opt.Client.Variables(ctx, g.here())
	if err != nil {
		g.warn(err)
	}
	docs, total, err := g.opt.Client.Documents(ctx, g.here())
	if err != nil {
		g.warn(err)
	}
	now := snapshot{vars: vars, totals: totalsOf(settings), model: settings.Model, level: settings.Level, mode: termination.Mode(settings.Mode), text: documentsText(docs)}
	if total > len(docs) {
		now.text = fmt.Sprintf("%d documents", total)
	}
	for _, d := range docs {
		now.known.docs = append(now.known.docs, d.Name)
	}
	list, _, err := g.opt.Client.Sessions(ctx, "", completionMost)
	if err != nil {
		g.warn(err)
	}
	for _, s := range list {
		if s.ID != g.here() {
			now.known.sessions = append(now.known.sessions, s.ID)
		}
	}
	g.keep(now)
}

func totalsOf(s client.Settings) runner.Totals {
	return runner.Totals{Usage: s.Totals.Usage, Cost: s.Totals.Cost, CostKnown: s.Totals.Known}
}

// attend shows what happens in the session that the guest is in: first its last question.
func (g *guest) attend(ctx context.Context, on lobby) {
	for ctx.Err() == nil {
		staying, leave := context.WithCancel(ctx)
		id, until := g.enter(leave)
		after, err := g.recall(staying, id, until, on)
		if err == nil {
			err = g.watch(staying, id, after, on)
		}
		moved := staying.Err() != nil
		leave()
		if !moved {
			g.gone = err
			on.gone()
			return
		}
	}
}

// recall shows the last question of a session with what came of it, and the cells since.
func (g *guest) recall(ctx context.Context, id string, until int64, on lobby) (after int64, err error) {
	if until == 0 {
		return 0, nil
	}
	var last []trajectory.Event
	for h, err := range g.opt.Client.Events(ctx, id, client.Following{Brief: true}) {
		if err != nil {
			return 0, err
		}
		if ev := h.Event; ev.Data != nil && !trajectory.Transient(ev.Data) {
			if _, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
				last = nil
			}
			last = append(last, ev)
			g.note(id, ev)
		}
		if after = max(after, h.Event.Seq); after >= until {
			break
		}
	}
	if ctx.Err() != nil {
		return after, nil
	}
	for _, ev := range last {
		g.show(ev, false, on)
	}
	return after, nil
}

// note keeps what /cells, /show and /retry want.
func (g *guest) note(id string, ev trajectory.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.id == id {
		g.past.add(ev)
	}
}

func (g *guest) watch(ctx context.Context, id string, after int64, on lobby) error {
	for h, err := range g.opt.Client.Events(ctx, id, client.Following{After: after}) {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
		case h.State != nil:
			g.tell(ctx, id, *h.State, on)
		case h.Failed != nil:
			on.failed(errors.New(h.Failed.Message))
		case h.Event.Data != nil:
			ev := g.whole(ctx, id, h.Event)
			g.note(id, ev)
			g.show(ev, g.isMine(), on)
		}
	}
	return ctx.Err()
}

// whole fetches a reply that is too long for the stream. Without it there is a note in its place.
func (g *guest) whole(ctx context.Context, id string, ev trajectory.Event) trajectory.Event {
	if d, ok := ev.Data.(trajectory.ReplyReceived); ok && ev.Path == "" {
		if _, err := d.Content.Load(); err != nil {
			if full, err := g.opt.Client.Event(ctx, id, ev.Seq); err == nil {
				return full
			}
		}
	}
	return ev
}

// show hands an event on. A question of one's own is on the screen already.
func (g *guest) show(ev trajectory.Event, mine bool, on lobby) {
	if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" && !mine {
		on.show(g.log.Question(d.Question))
	}
	on.event(ev)
}

// tell takes up what the session does now. When somebody else has ended something, what is known of the session is looked up again.
func (g *guest) tell(ctx context.Context, id string, s client.State, on lobby) {
	g.mu.Lock()
	if g.id != id {
		g.mu.Unlock()
		return
	}
	before := g.state
	g.state = s
	g.told++
	if g.does(s) {
		g.mine = g.told
	}
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
	now := shared{others: g.others(s)}
	if s.Ahead != nil {
		now.ahead = *s.Ahead
	}
	on.state(now)
	if g.others(before) != "" && s.Doing == "" {
		g.spawn(func() {
			g.refresh(ctx)
			on.state(now)
		})
	}
}

// does reports whether this client does what a session does.
func (g *guest) does(s client.State) bool {
	return s.Doing != "" && s.Client == g.opt.Client.Window()
}

// others says who else does what.
func (g *guest) others(s client.State) string {
	if s.Doing == "" || g.does(s) {
		return ""
	}
	return s.By + ": " + s.Doing
}

func (g *guest) isMine() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.does(g.state)
}
