package sandbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// Goroutines and timers left by a cell print nowhere, because their output would appear in that of a later cell.
func TestAStaleGoroutinePrintsIntoNoLaterCell(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]string{
		"a goroutine":        `go func() { time.Sleep(time.Millisecond); fmt.Println("late") }()`,
		"one that waits":     `ch := make(chan int); go func() { <-ch; fmt.Println("late") }()`,
		"a timer":            `time.AfterFunc(time.Millisecond, func() { fmt.Println("late") })`,
		"a context":          `ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond); _ = cancel; context.AfterFunc(ctx, func() { fmt.Println("late") })`,
		"a ticker":           `tick := time.NewTicker(time.Millisecond); go func() { for range tick.C { fmt.Println("late") } }()`,
		"print":              `go func() { time.Sleep(time.Millisecond); println("late") }()`,
		"a child of another": `go func() { go func() { time.Sleep(time.Millisecond); fmt.Print("late") }() }()`,
		"a writer":           `go func() { time.Sleep(time.Millisecond); os.Stdout.WriteString("late") }()`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, sandbox.Config{})
			good(t, s, left)
			next := "time.Sleep(30 * time.Millisecond)\nfmt.Println(\"mine\")"
			if name == "one that waits" {
				next = "close(ch)\n" + next
			}
			require.Equal(t, "mine\n", good(t, s, next).Output)
		})
	}
}

// A stop that reaches the worker when its cell has ended stops no later cell.
func TestALateStopStopsNoLaterCell(t *testing.T) {
	t.Parallel()
	var s *sandbox.Session
	number := 0
	s = start(t, sandbox.Config{Engine: repl.Exact, Call: func(context.Context, sandbox.Call) sandbox.Reply {
		if err := sandbox.StopCell(s, number); err != nil {
			return sandbox.Reply{Error: err.Error()}
		}
		return sandbox.Reply{Body: []byte("cart")}
	}})
	good(t, s, "x := 1")
	number = 1
	require.Equal(t, "cart\n", good(t, s, "r := llm_query(\"Which?\")\nfor i := range 1_000_000 {\n\tx += i\n}\nfmt.Println(r)").Output)
	number = 3
	res, err := s.Run(t.Context(), sandbox.Cell{Source: "llm_query(\"Which?\")\nfor {\n\tx++\n}"})
	require.NoError(t, err)
	require.Equal(t, cellerror.Cancelled, res.Error.Kind)
}
