package chat

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/stretchr/testify/require"
)

// paper is an output without a terminal; wrote, if set, is called with the whole text after each write.
type paper struct {
	mu    sync.Mutex
	text  strings.Builder
	wrote func(text string)
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(b)
	if p.wrote != nil {
		p.wrote(p.text.String())
	}
	return len(b), nil
}

// joins joins the session without a terminal and returns what was printed.
func (h *hosted) joins(input string, wrote func(text string)) (string, error) {
	out := &paper{wrote: wrote}
	err := Join(h.ctx, JoinTarget{
		Client: h.mine, ID: h.id, Screen: Screen{In: strings.NewReader(input), Out: out}, Again: "rlm open",
	})
	return out.text.String(), err
}

// TestAGuestByLines: without a terminal a guest has the same commands; each line is finished before the next.
func TestAGuestByLines(t *testing.T) {
	h := serves(t, func(_ context.Context, n int) string {
		return inFence([]string{`FINAL("the first answer")`, `FINAL("an answer in the copy")`}[n])
	})
	out, err := h.joins("> start := 1\nwhich is first?\n/fork\n/rename the copy\n> start +\n41\nasked in the copy\n/export copy.md\n/open "+h.id+"\n/cells\n/vars\n", nil)
	require.NoError(t, err)
	require.Contains(t, out, "the first answer")
	require.Contains(t, out, ", a copy\n")
	require.Contains(t, out, "= 42")
	require.Contains(t, out, "written to copy.md")
	_, back, ok := strings.Cut(out, "this is now session "+h.id)
	require.True(t, ok)
	require.Contains(t, back, "which is first?", "what the session is about is shown")
	require.Contains(t, back, "start")
	require.NotContains(t, back, "start +", "the cells of the copy are not those of the session")
	written, err := os.ReadFile("copy.md")
	require.NoError(t, err)
	require.Contains(t, string(written), "an answer in the copy")
	list, total, err := h.other.Sessions(h.ctx, "the copy", 0)
	require.NoError(t, err)
	require.Equal(t, 1, total)
	require.Equal(t, 2, list[0].Questions)
	require.Equal(t, 1, h.questions())
}

// TestAGuestByLinesWaitsItsTurn: others' work is shown with their names. A line that must wait reports that, and is
// sent when they are done. At the end of the input, the program waits for others' work.
func TestAGuestByLinesWaitsItsTurn(t *testing.T) {
	on := make(chan struct{})
	h := serves(t, func(ctx context.Context, n int) string {
		if n > 0 {
			return inFence(`FINAL("the second answer")`)
		}
		select {
		case <-on:
		case <-ctx.Done():
		}
		return inFence(`FINAL("the first answer")`)
	})
	h.asks("asked by another")
	var once sync.Once
	out, err := h.joins("asked here\n", func(text string) {
		if strings.Contains(text, "queued; it is sent when that is done: owner: ask") {
			once.Do(func() { close(on) })
		}
	})
	require.NoError(t, err)
	require.Less(t, strings.Index(out, "the first answer"), strings.Index(out, "the second answer"))
	require.Equal(t, 2, h.questions())

	slow := make(chan struct{})
	h = serves(t, func(ctx context.Context, _ int) string {
		select {
		case <-slow:
		case <-ctx.Done():
		}
		return inFence(`FINAL("seen to its end")`)
	})
	h.asks("asked by another")
	var then sync.Once
	out, err = h.joins("", func(text string) {
		if strings.Contains(text, "owner: ask") {
			then.Do(func() { close(slow) })
		}
	})
	require.NoError(t, err)
	require.Contains(t, out, "seen to its end")
}

// TestAGuestByLinesSaysHowItEnded: the error names the command that failed, or the question without an answer.
func TestAGuestByLinesSaysHowItEnded(t *testing.T) {
	h := serves(t, func(_ context.Context, n int) string { return inFence("again := " + strconv.Itoa(n)) })
	for _, tt := range []struct {
		input, says string
		code        int
	}{
		{"/nonsense\n> 1 + 1\n", "there is no command /nonsense", exitcode.Failed},
		{"/fork nowhere\n/quit\n", "give the last turn of the last question to keep", exitcode.Failed},
		{"/budget iterations 1\nwhen?\n> 1 + 1\n", "No answer", exitcode.Limit},
		{"/budget\n/help\n", "/export FILE", 0},
	} {
		out, err := h.joins(tt.input, nil)
		require.Contains(t, out, tt.says)
		if tt.code == 0 {
			require.NoError(t, err)
			continue
		}
		var undone *front.Exit
		require.ErrorAs(t, err, &undone)
		require.Equal(t, tt.code, undone.Code)
	}
	h.id = "nothing"
	_, err := h.joins("", nil)
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
}
