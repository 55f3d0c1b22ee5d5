package chat

import (
	"context"
	"errors"
	"sync"
)

// Choice is a question that one key answers.
type Choice struct {
	Text   string // what it is about, and stays on the screen
	Prompt string // stands where the input is until it is answered
	Keys   string // the answers; the last one refuses, as Escape does
}

// Prompter asks the person at a session while something runs. It is safe for concurrent use and asks one question at a time.
type Prompter struct {
	turn chan struct{} // held by the question that is asked

	mu   sync.Mutex
	show func(*pendingQuestion)
}

// pendingQuestion is a question on the screen.
type pendingQuestion struct {
	Choice
	answer chan string
}

// NewPrompter makes the asker of a session; Options take it.
func NewPrompter() *Prompter { return &Prompter{turn: make(chan struct{}, 1)} }

var errNobody = errors.New("nobody is there to answer")

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

// shows says where questions are shown, and with nil that one is over; nil: nowhere any more.
func (a *Prompter) shows(show func(*pendingQuestion)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = show
}
