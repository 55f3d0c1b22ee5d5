package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
