package chat

import (
	"sync"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// sink receives the results of submitted text.
type sink struct {
	show  func(text string)         // prints text that stays on the screen
	event func(ev trajectory.Event) // shows an event
	fill  func(text string)         // puts text into the input, to be edited and sent
	edit  func(text string)         // opens text in the person's editor; nil if there is none
}

// console is the part of a terminal that does not depend on where the session is open.
type console struct {
	render   *screen.Renderer
	log      *transcript.Transcript
	commands []command
	builtins func(termination.Mode) map[string]string
	ids      func() []string // ids that commands accept, newest first
	work     sync.WaitGroup

	using sync.Mutex // held while using the session, which does one thing at a time

	mu       sync.Mutex // guards the fields below
	seen     snapshot
	warnings []string
	pastes   int
	goMode   bool // input is Go cells instead of questions
}

// setUp prepares the console for a screen, or for plain lines.
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

// spawn runs f in a goroutine; wait waits for it.
func (b *console) spawn(f func()) { b.work.Go(f) }

func (b *console) wait() { b.work.Wait() }

// typesCells reports whether input is cells rather than questions; a lone > toggles this.
func (b *console) typesCells() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.goMode
}

// toggle switches between questions and cells, and returns a message about it.
func (b *console) toggle() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.goMode = !b.goMode; b.goMode {
		return "input is now Go and runs in the notebook; > switches back to questions"
	}
	return "input is now a question to the model; > switches back to cells"
}

// warn stores a warning until it can be shown.
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
