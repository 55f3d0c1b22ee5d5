package chat

import (
	"sync"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// sink takes what submitted text brings.
type sink struct {
	show  func(text string)         // stays on the screen
	event func(ev trajectory.Event) // happens
	fill  func(text string)         // to be edited and sent
	edit  func(text string)         // to be edited in the person's editor; nil where there is none
}

// console is what a terminal keeps of a session, wherever that is.
type console struct {
	render   *screen.Renderer
	log      *transcript.Transcript
	commands []command
	builtins func(termination.Mode) map[string]string
	ids      func() []string // of sessions that a command can take, the latest first
	work     sync.WaitGroup

	using sync.Mutex // held while something is done with the session, which does one thing at a time

	mu       sync.Mutex // guards what follows
	seen     snapshot
	warnings []string
	pastes   int
	goMode   bool // what is typed is a cell, not a question
}

// setUp makes the board of a screen, or of one of lines.
func (b *console) setUp(s Screen) {
	b.render = screen.NewRenderer(s.Width, s.Colour)
	if !s.Terminal {
		b.render = screen.PlainRenderer()
	}
	b.log = transcript.New(b.render, transcript.Turns)
	b.log.Session = true
	if b.builtins = s.Builtins; b.builtins == nil {
		b.builtins = func(termination.Mode) map[string]string { return nil }
	}
}

// spawn runs f in a goroutine that wait waits for.
func (b *console) spawn(f func()) { b.work.Go(f) }

func (b *console) wait() { b.work.Wait() }

// typesCells reports whether what is typed is a cell, until a > alone says otherwise.
func (b *console) typesCells() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.goMode
}

// toggle changes between questions and cells.
func (b *console) toggle() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.goMode = !b.goMode; b.goMode {
		return "what you type now is Go and runs in the notebook; > goes back to questions"
	}
	return "what you type now is a question to the model; > goes back to cells"
}

// warn keeps a warning until it can be shown.
func (b *console) warn(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.warnings = append(b.warnings, err.Error())
}

func (b *console) takeWarnings() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.warnings
	b.warnings = nil
	return w
}
