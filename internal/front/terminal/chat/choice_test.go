package chat

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

// asks shows a question on the desk and returns a channel for the answer.
func (d *desk) asks(ctx context.Context, a *Prompter) <-chan string {
	answered := make(chan string, 1)
	go func() {
		key, err := a.Ask(ctx, Choice{
			Text: "It is asked to call close_ticket.", Prompt: "Allow it? [y]es [a]ll [n]o › ", Keys: "yan",
		})
		if err != nil {
			key = err.Error()
		}
		answered <- key
	}()
	return answered
}

// asker gives a desk a Prompter whose questions settle after a time.
func (d *desk) asker(settle time.Duration) *Prompter {
	a := NewPrompter()
	a.shows(func(q *pendingQuestion) { d.msgs <- askedMsg{q} })
	d.m.choice.settle = settle
	return a
}

// A question replaces the input; one key answers it, and the draft is kept.
func TestAKeyAnswersAQuestion(t *testing.T) {
	for key, want := range map[string]string{"y": "y", "A": "a", "n": "n", "esc": "n"} {
		d := sitDown(t, nil)
		a := d.asker(0)
		d.types("half a ques")
		answered := d.asks(t.Context(), a)
		d.sees("[y]es [a]ll [n]o ›")
		require.Contains(t, d.printed(), "close_ticket")
		require.Contains(t, d.drawn(), "kept: half a ques")
		d.keys("enter")
		d.types("x?")
		if key == "esc" {
			d.keys(key)
		} else {
			d.types(key)
		}
		d.until("answer", func() bool { return d.m.choice.pendingQuestion == nil })
		require.Equal(t, want, <-answered)
		d.until("give the input back", func() bool { return strings.Contains(d.drawn(), "› half a ques") })
		require.Equal(t, "half a quesx?", d.input())
		require.NotContains(t, d.drawn(), "[y]es")
		require.Zero(t, d.asked(), "no question to the model")
	}
}

// A person who is typing when a question appears does not answer it.
func TestKeysOfATypistAreNoAnswer(t *testing.T) {
	d := sitDown(t, nil)
	a := d.asker(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	answered := d.asks(ctx, a)
	d.sees("[y]es [a]ll [n]o ›")
	d.types("any")
	d.take(tea.PasteMsg{Content: " y"})
	require.Equal(t, "any y", d.input())
	require.Contains(t, d.drawn(), "kept: any y")
	d.m.choice.pressed = time.Time{} // as if some time had passed
	d.types(" and more")
	require.Equal(t, "any y and more", d.input())
	cancel()
	require.Equal(t, context.Canceled.Error(), <-answered)
	d.until("take the question away", func() bool { return !strings.Contains(d.drawn(), "[y]es") })
	require.Equal(t, "any y and more", d.input())
}

// Enter after a key answers immediately, but is not required.
func TestEnterAnswersToo(t *testing.T) {
	d := sitDown(t, nil)
	answered := d.asks(t.Context(), d.asker(time.Hour))
	d.sees("[y]es [a]ll [n]o ›")
	d.keys("enter")
	d.m.choice.pressed = time.Time{}
	d.types("Y")
	d.keys("enter")
	require.Equal(t, "y", <-answered)
	require.Empty(t, d.input())
}

func TestNobodyIsThereToAnswer(t *testing.T) {
	_, err := NewPrompter().Ask(t.Context(), Choice{Keys: "yn"})
	require.ErrorIs(t, err, errNobody)
}
