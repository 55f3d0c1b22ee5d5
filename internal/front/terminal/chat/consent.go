package chat

import (
	"context"
	"errors"
	"sync"
)

// Choice is a question that one key answers.
type Choice struct {
	Text   string // the question itself, which stays on the screen
	Prompt string // shown in place of the input until it is answered
	Keys   string // the possible answers; the last one means no, as does Escape
}

// Prompter asks the person questions while a task runs. It is safe for concurrent use and asks one question at a
// time.
type Prompter struct {
	turn chan struct{} // holds one element while a question is asked

	mu   sync.Mutex
	show func(*pendingQuestion)
}

// pendingQuestion is a question on the screen.
type pendingQuestion struct {
	Choice
	answer chan string
}

// NewPrompter makes the Prompter of a session, for Options.Asker.
func NewPrompter() *Prompter { return &Prompter{turn: make(chan struct{}, 1)} }

var errNobody = errors.New("there is nobody to answer")

// Ask asks a question and waits for the key that answers it.
func (a *Prompter) Ask(ctx context.Context, c Choice) (key string, err error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	a.mu.Lock()
	show := a.show
	a.mu.Unlock()
	if show == nil {
		return "", errNobody
	}
	q := &pendingQuestion{c, make(chan string, 1)}
	show(q)
	defer show(nil)
	select {
	case key := <-q.answer:
		return key, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// shows sets the function that shows a question, or removes the question when that function is called with nil. A
// nil function means that nobody can be asked.
func (a *Prompter) shows(show func(*pendingQuestion)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = show
}
