package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/termination"
)

// An honest cell may pass as much text as it likes, to any number of concurrent calls.
func TestTheHostStaysSmallUnderLargeCalls(t *testing.T) {
	share := "1" // one of three parts; each passes more than the host's bound
	if os.Getenv("RLM_LONG") != "" {
		share = "3"
	}
	ownhost.Each(t, slices.Values([]string{share}), func(t *testing.T, share string) {
		n, err := strconv.Atoi(share)
		require.NoError(t, err)
		largeCalls(t, n)
	})
}

func largeCalls(t *testing.T, share int) {
	var inFlight, most, calls atomic.Int64
	s, err := New(t.Context(), Config{
		Limits:   Limits{CellTime: time.Hour, CellCPU: time.Hour},
		Builtins: builtins.Standard(termination.Response),
		Call: func(_ context.Context, c Call) Reply {
			n := int64(len(c.Body))
			for _, text := range c.Text {
				n += int64(len(text.Bytes))
			}
			now := inFlight.Add(n)
			defer inFlight.Add(-n)
			calls.Add(1)
			if n < treeRoom/2 { // larger calls run alone
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
			}
			time.Sleep(time.Millisecond) // lets calls overlap
			return Reply{Body: fmt.Append(nil, n>>20)}
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	const each = `s := strings.Repeat("x", %d<<20)
var wg sync.WaitGroup
for i := 0; i < %d; i++ { wg.Add(1); go func() { defer wg.Done(); %s } () }
wg.Wait()`
	for _, source := range []string{
		fmt.Sprintf(each, 60, 7*share, `rlm_query("q", s)`),
		fmt.Sprintf(each, 8, 27*share, `llm_query(s)`),
		fmt.Sprintf(each, 1, 100*share, `llm_query(s)`),
		`llm_query(strings.Repeat("x", 8<<20))`,
		`rlm_query(strings.Repeat("x", 8<<20), strings.Repeat("x", 64<<20))`,
	} {
		res, err := s.Run(t.Context(), Cell{Source: source})
		require.NoError(t, err)
		require.Nil(t, res.Error)
	}
	require.EqualValues(t, (7+27+100)*share+2, calls.Load())
	require.LessOrEqual(t, most.Load(), int64(treeRoom))
}

// All texts of a call count towards the bound, except a single range of the context.
func TestEveryTextOfAChildCounts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "context")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 10_000)), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	s, err := New(t.Context(), Config{
		Limits:   Limits{Text: 9_000},
		Context:  Context{File: f, Size: 10_000},
		Builtins: builtins.Standard(termination.Response),
		Call:     func(context.Context, Call) Reply { return Reply{} },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for source, want := range map[string]string{
		`rlm_query("q", context)`:                                              "",
		`rlm_query("q", context[1:])`:                                          "",
		`rlm_query("q", context[:4000], context[:5000])`:                       "",
		`rlm_query("q", context[:4000], context[:5001])`:                       "together have more than 9 kB",
		`rlm_query("q", context, context)`:                                     "together have more than",
		`rlm_query("q", context, "")`:                                          "together have more than",
		`rlm_query("q", context[:5000], strings.Repeat("y", 5001))`:            "together have more than",
		`rlm_query("q", strings.Repeat("y", 4501), strings.Repeat("y", 4500))`: "together have more than",
		`rlm_query("q", strings.Repeat("y", 9001))`:                            "the text has more than",
		`rlm_query("q", make([]string, 257)...)`:                               "257 texts are too many",
		`rlm_query("q", make([]string, 256)...)`:                               "",
		`llm_query("q", System(strings.Repeat("y", 40_000)))`:                  "put long text into the prompt",
	} {
		res, err := s.Run(t.Context(), Cell{Source: source})
		require.NoError(t, err)
		if want == "" {
			require.Nil(t, res.Error, source)
			continue
		}
		require.NotNil(t, res.Error, source)
		require.Contains(t, res.Error.Message, want, source)
		require.Nil(t, res.Restore, source)
	}
}

// A child's calls have room even if its parent's call and its siblings use all the room at their level.
func TestAChildHasRoomWhileItsParentHasNone(t *testing.T) {
	t.Parallel()
	w := NewWorkers(4, 0)
	defer func() { require.NoError(t, w.Close()) }()
	standard := builtins.Standard(termination.Response)
	turn := make(chan struct{}, 1) // runs one child at a time, like some runs
	s, err := New(t.Context(), Config{
		Workers: w, Builtins: standard,
		Call: func(ctx context.Context, c Call) Reply {
			turn <- struct{}{}
			defer func() { <-turn }()
			child, err := New(ctx, Config{Workers: w, Builtins: standard, Call: func(context.Context, Call) Reply {
				return Reply{Body: []byte("x")}
			}})
			if err != nil {
				return Reply{Error: err.Error()}
			}
			defer func() { _ = child.Close() }()
			res, err := child.Run(ctx, Cell{Source: `fmt.Print(llm_query(strings.Repeat("x", 8<<20)))`})
			if err != nil {
				return Reply{Error: err.Error()}
			}
			return Reply{Body: []byte(res.Output)}
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	res, err := s.Run(t.Context(), Cell{Source: `s := strings.Repeat("x", 20<<20)
out := make([]string, 4)
var wg sync.WaitGroup
for i := range out { wg.Add(1); go func() { defer wg.Done(); out[i] = rlm_query("q", s) }() }
wg.Wait()
fmt.Println(out)`})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "[x x x x]\n", res.Output)
}
