package chat

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/gorlm/rlm/runner/trajectory"
)

// notebook is the session that a terminal shows: one that is open here, or one of a server.
type notebook interface {
	// greeting shows the first things on the screen.
	greeting(out sink)
	// submit does what a person typed and returns when it is done. quit says that the person wants to leave.
	submit(ctx context.Context, text string, out sink) (quit bool, err error)
	// beside reports whether what was typed takes no turn: it is done at once, whatever runs.
	beside(text string) bool
	// ask puts a question to the model, exec runs a person's own cell.
	ask(ctx context.Context, question string, out sink) error
	exec(ctx context.Context, source string, out sink) error
	// addPaste makes a document of a long pasted text.
	addPaste(ctx context.Context, name, text string, out sink) error
	// members lists what can stand behind an operand and a dot.
	members(ctx context.Context, operand string) []string
	// attend shows what happens in the session besides what is typed here, until ctx is done.
	attend(ctx context.Context, on lobby)
	// refresh takes a new snapshot.
	refresh(ctx context.Context)
	// failure words an error for the person.
	failure(err error) string
	// goOn says how the session is opened again.
	goOn() string
}

// sink takes what submitted text brings.
type sink struct {
	show  func(text string)         // stays on the screen
	event func(ev trajectory.Event) // happens
	fill  func(text string)         // to be edited and sent
	edit  func(text string)         // to be edited in the person's editor; nil where there is none
}

// board is what a terminal keeps of a session, wherever that is.
type board struct {
	render   *renderer
	log      *transcript
	commands []command
	ids      func() []string // of sessions that a command can take, the latest first
	work     sync.WaitGroup

	using sync.Mutex // held while something is done with the session, which does one thing at a time

	mu       sync.Mutex // guards what follows
	seen     snapshot
	warnings []string
	pastes   int
	goMode   bool // what is typed is a cell, not a question
}

// setUp makes the board of a screen; plain is one of lines.
func (b *board) setUp(width int, colour, plain bool) {
	b.render = newRenderer(width, colour)
	if plain {
		b.render = plainRenderer()
	}
	b.log = &transcript{r: b.render}
}

// spawn runs f in a goroutine that wait waits for.
func (b *board) spawn(f func()) { b.work.Go(f) }

func (b *board) wait() { b.work.Wait() }

// typesCells reports whether what is typed is a cell, until a > alone says otherwise.
func (b *board) typesCells() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.goMode
}

// toggle changes between questions and cells.
func (b *board) toggle() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.goMode = !b.goMode; b.goMode {
		return "what you type now is Go and runs in the notebook; > goes back to questions"
	}
	return "what you type now is a question to the model; > goes back to cells"
}

// warn keeps a warning until it can be shown.
func (b *board) warn(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.warnings = append(b.warnings, err.Error())
}

func (b *board) takeWarnings() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.warnings
	b.warnings = nil
	return w
}

// take does what a person typed in a notebook.
func (b *board) take(ctx context.Context, n notebook, text string, out sink) (quit bool, err error) {
	in, err := parseEntry(text, b.typesCells())
	if err != nil {
		return false, err
	}
	switch in.kind {
	case entryCommand:
		return b.command(ctx, in.text, out)
	case entryCell:
		for _, cell := range in.cells {
			if err := n.exec(ctx, cell, out); err != nil {
				return false, err
			}
		}
	case entryToggle:
		out.show(b.toggle())
	case entryHelp:
		if help, ok := b.helpFor(in.text); ok {
			out.show(help)
			return false, nil
		}
		if b.typesCells() {
			return false, errors.New("nothing is known about " + in.text)
		}
		return false, n.ask(ctx, strings.TrimSpace(text), out)
	case entryQuestion:
		return false, n.ask(ctx, in.text, out)
	}
	return false, nil
}
