package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Joined says which session of a server to join, and where to.
type Joined struct {
	Client *client.Client
	ID     string
	In     io.Reader
	Out    io.Writer
	// Terminal says that In and Out are a terminal, as in Options. Without one, each line of In is done before the next is read.
	Terminal      bool
	Width, Height int
	Colour        bool
	History       string // the file that keeps what was typed; empty keeps nothing
	Again         string // the command that joins a session again, without its id
}

const joinedHelp = `what you type is a question to the model; > CODE or a fenced block is a cell
/stop, /undo, /retry, /review approve, /review reject NOTE, /quit; the session stays with the server`

// Join holds a session of a server in the terminal, beside all others who are in it: what they do is shown as it happens, with who does it. One
// writes at a time; what is typed meanwhile is kept and sent when the session is free. It returns when the person leaves, In ends, or ctx does.
func Join(ctx context.Context, opt Joined) error {
	s, err := opt.Client.Session(ctx, opt.ID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if opt.Terminal {
		return joinOnScreen(ctx, opt, s)
	}
	r := plainRenderer()
	j := &joined{opt: opt, id: s.ID, log: &transcript{r: r}, past: s.Events, events: make(chan happened), entries: make(chan typedEntry)}
	j.print(r.paint(bold, "rlm") + r.paint(faint, " · session "+s.ID+" of a server, with all who are in it · /help lists the commands"))
	go j.follow(ctx)
	return j.hold(ctx)
}

// joinOnScreen holds it on a terminal: the same screen as that of a session that is open here.
func joinOnScreen(ctx context.Context, opt Joined, s client.Session) error {
	g := newGuest(ctx, opt, s)
	h, err := openHistory(opt.History)
	if err != nil {
		g.warn(err)
	}
	err = runTUI(ctx, g, &g.board, h, Options{In: opt.In, Out: opt.Out, Width: opt.Width, Height: opt.Height})
	return errors.Join(g.gone, err)
}

type joined struct {
	opt  Joined
	id   string
	log  *transcript
	past int64 // events there were when it was joined
	old  []trajectory.Event
	read bool // those have come

	events  chan happened
	entries chan typedEntry
	reading bool // an entry is awaited

	state   client.State
	known   bool     // state is
	queue   []wanted // what was typed and not sent yet
	sent    bool     // the first of the queue is with the server, which has not begun it
	told    string   // who was said to be at it
	mine    bool     // what runs was begun here
	ended   bool     // In is at its end
	refused bool     // something could not be done
}

type happened struct {
	what client.Happening
	err  error
}

type typedEntry struct {
	text string
	err  error
}

// wanted is a question or a cell with the key that lets it take effect once.
type wanted struct {
	entry
	key string
}

func (j *joined) follow(ctx context.Context) {
	for h, err := range j.opt.Client.Events(ctx, j.id, client.Following{Brief: true}) {
		select {
		case j.events <- happened{h, err}:
		case <-ctx.Done():
			return
		}
	}
}

// hold takes what happens and what is typed in turn.
func (j *joined) hold(ctx context.Context) error {
	in := bufio.NewReader(j.opt.In)
	for {
		if !j.reading && !j.ended && j.read && j.free() {
			j.reading = true
			go func() {
				text, err := typed.Read(ctx, func() (string, error) { return readEntry(in, false) })
				select {
				case j.entries <- typedEntry{text, err}:
				case <-ctx.Done():
				}
			}()
		}
		if j.ended && j.free() {
			if j.refused {
				return &Unfinished{1}
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case h := <-j.events:
			if h.err != nil {
				return h.err
			}
			j.happen(ctx, h.what)
		case e := <-j.entries:
			j.reading = false
			if errors.Is(e.err, io.EOF) {
				j.ended = true
			} else if e.err != nil {
				return fmt.Errorf("reading the input: %w", e.err)
			}
			if quit := j.take(ctx, e.text); quit {
				return nil
			}
		}
		j.send(ctx)
	}
}

// free reports whether all that was typed is done.
func (j *joined) free() bool { return j.known && j.state.Doing == "" && len(j.queue) == 0 }

func (j *joined) print(text string) {
	if text != "" {
		_, _ = fmt.Fprintln(j.opt.Out, text) // a screen that is gone ends the input as well
	}
}

// happen shows what happens.
func (j *joined) happen(ctx context.Context, h client.Happening) {
	switch {
	case h.State != nil:
		j.changed(*h.State)
	case h.Failed != nil:
		j.refused = true
		j.print(j.log.r.paint(red, "error: ") + j.log.r.wrap(h.Failed.Message, 7))
	case h.Event.Data != nil && !j.read && !trajectory.Transient(h.Event.Data):
		j.old = append(j.old, h.Event)
	case h.Event.Data != nil:
		j.show(h.Event)
	}
	if !j.read && h.Event.Seq >= j.past {
		j.remind()
	}
}

// remind shows the last question of the session with what came of it, and the cells since.
func (j *joined) remind() {
	j.read = true
	from := 0
	for i, ev := range j.old {
		if _, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
			from = i
		}
	}
	for _, ev := range j.old[from:] {
		j.show(ev)
	}
	j.old = nil
}

func (j *joined) show(ev trajectory.Event) {
	if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
		j.print(j.log.Question(d.Question))
	}
	j.print(j.log.Event(ev))
}

// changed tells who does what.
func (j *joined) changed(s client.State) {
	j.state, j.known = s, true
	j.mine = s.Doing != "" && s.Client == j.opt.Client.Window()
	if j.mine && j.sent {
		j.queue, j.sent = j.queue[1:], false
	}
	who := ""
	if s.Doing != "" && !j.mine {
		who = s.By + ": " + s.Doing
	}
	if who != j.told && who != "" {
		j.print(j.log.r.paint(faint, "· "+who))
	}
	j.told = who
}

// take does what was typed, or keeps it until the session is free.
func (j *joined) take(ctx context.Context, text string) (quit bool) {
	in, err := parseEntry(text, false)
	switch {
	case err != nil:
		j.fail(err)
	case in.kind == entryCommand:
		return j.command(ctx, in.text)
	case in.kind == entryQuestion:
		j.queue = append(j.queue, wanted{in, client.NewKey()})
	case in.kind == entryCell:
		for _, source := range in.cells {
			j.queue = append(j.queue, wanted{entry{kind: entryCell, text: source}, client.NewKey()})
		}
	case in.kind != entryEmpty:
		j.print(joinedHelp)
	}
	if len(j.queue) > 0 && j.state.Doing != "" && !j.mine {
		j.print(j.log.r.paint(faint, "· kept; it is sent when "+j.state.By+" is done"))
	}
	return false
}

// send sends the next of what was typed when the session is free. It stays until the stream tells that it began. A free session may also be what
// the stream told before that, or it has ended already: the same key says which.
func (j *joined) send(ctx context.Context) {
	if len(j.queue) == 0 || !j.known || j.state.Doing != "" {
		return
	}
	var begun client.Begun
	var err error
	if next := j.queue[0]; next.kind == entryCell {
		begun, err = j.opt.Client.Cell(ctx, j.id, next.key, next.text)
	} else {
		begun, err = j.opt.Client.Ask(ctx, j.id, next.key, next.text, client.Choice{})
	}
	var refused *client.Error
	switch {
	case err == nil:
		j.state, j.mine = begun.State, true
		if j.sent = !begun.Again; begun.Again {
			j.queue = j.queue[1:]
		}
	case errors.As(err, &refused) && refused.Code == "busy": // somebody was first; the stream tells when that ends
		if refused.State != nil {
			j.changed(*refused.State)
		}
	default:
		j.fail(fmt.Errorf("%w; it was not sent: %s", err, j.queue[0].text))
		j.queue = j.queue[1:]
	}
}

func (j *joined) fail(err error) {
	j.refused = true
	j.print(j.log.r.paint(red, "error: ") + j.log.r.wrap(err.Error(), 7))
}

func (j *joined) command(ctx context.Context, text string) (quit bool) {
	name, rest, _ := strings.Cut(text, " ")
	var err error
	switch name {
	case "quit", "exit", "q":
		return true
	case "stop":
		j.queue = nil
		_, err = j.opt.Client.Do(ctx, j.id, "stop")
	case "undo":
		_, err = j.opt.Client.Do(ctx, j.id, "undo")
	case "retry", "resume":
		_, err = j.opt.Client.Do(ctx, j.id, "resume")
	case "review":
		verdict, note, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if verdict != "approve" && verdict != "reject" {
			j.fail(errors.New("say /review approve or /review reject NOTE"))
			return false
		}
		_, err = j.opt.Client.Review(ctx, j.id, client.NewKey(), verdict == "approve", strings.TrimSpace(note))
	case "help", "?":
		j.print(joinedHelp)
	default:
		err = fmt.Errorf("there is no /%s in a session of a server: %s", name, joinedHelp)
	}
	if err != nil {
		j.fail(err)
	}
	return false
}
