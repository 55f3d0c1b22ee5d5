package chat

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAsker: a question is shown once somebody can see it, is answered by /answer, and one that nobody waits for any more is not.
func TestAsker(t *testing.T) {
	a := NewAsker()
	c := &core{opt: Options{Asker: a}}
	c.commands = c.list()
	_, err := a.Ask(t.Context(), "q")
	require.ErrorIs(t, err, errNobody)
	_, _, err = c.aside("/answer y", nil)
	require.ErrorContains(t, err, "nothing is asked")

	shown := make(chan string, 1)
	a.shows(func(text string) { shown <- text })
	answered := make(chan string, 1)
	go func() {
		text, err := a.Ask(t.Context(), "Allow it?")
		if err != nil {
			text = err.Error()
		}
		answered <- text
	}()
	require.Equal(t, "Allow it?", <-shown)
	_, _, err = c.aside("/answer y", nil)
	require.NoError(t, err)
	require.Equal(t, "y", <-answered)

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-shown
		cancel()
	}()
	_, err = a.Ask(ctx, "Allow it?")
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = c.aside("/answer y", nil)
	require.ErrorContains(t, err, "nothing is asked")
}
