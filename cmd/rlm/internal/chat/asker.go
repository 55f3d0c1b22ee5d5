package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// Asker asks the person at a session while something runs; /answer answers. It is safe for concurrent use and asks one question at a time.
type Asker struct {
	turn chan struct{} // held by the question that is asked

	mu      sync.Mutex
	show    func(string)
	pending chan string
}

// NewAsker makes the asker of a session; Options take it.
func NewAsker() *Asker { return &Asker{turn: make(chan struct{}, 1)} }

var errNobody = errors.New("nobody is there to answer")

// Ask shows a question and waits for an answer.
func (a *Asker) Ask(ctx context.Context, question string) (string, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	answer := make(chan string, 1)
	a.mu.Lock()
	show := a.show
	if show != nil {
		a.pending = answer
	}
	a.mu.Unlock()
	if show == nil {
		return "", errNobody
	}
	show(question)
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pending = nil
	}()
	select {
	case text := <-answer:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// shows says where questions are shown; nil: nowhere any more.
func (a *Asker) shows(show func(string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = show
}

// answer is /answer.
func (c *core) answer(text string, _ func() bool) (string, error) {
	a := c.opt.Asker
	if a == nil {
		return "", errors.New("nothing is asked")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending == nil {
		return "", errors.New("nothing is asked")
	}
	a.pending <- text
	a.pending = nil
	return "", nil
}

// mcp is /mcp.
func (c *core) mcp(ctx context.Context, args string, out sink) error {
	verb, text, _ := strings.Cut(args, " ")
	if text = strings.TrimSpace(text); verb != "add" || text == "" || c.opt.AddServer == nil {
		return errors.New("say which server: /mcp add COMMAND ARGS… or /mcp add URL")
	}
	opts, err := c.opt.AddServer(ctx, text)
	if err != nil {
		return err
	}
	if err := c.current().Set(opts...); err != nil {
		return err
	}
	out.show("its tools are functions of the notebook now; the model sees them with the next question")
	return nil
}
