package runner_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// hands is a model whose root run passes a large text to that many concurrent children, each of which makes calls
// with large prompts. It stores none of its requests.
type hands int

func (hands) Name() string { return "hands" }

func (h hands) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	switch {
	case req.Key.Cell > 0:
		return llm.Response{Content: "ok"}, nil
	case req.Key.Path != "":
		return llm.Response{Content: fence(
			`FINAL(llm_query(context[:7<<20]) + llm_query(strings.Repeat("y", 6<<20)))`)}, nil
	}
	return llm.Response{Content: fence(fmt.Sprintf(`s := strings.Repeat("0123456789abcdef", 60<<16)
out := make([]string, %d)
var wg sync.WaitGroup
for i := range out { wg.Add(1); go func() { defer wg.Done(); out[i] = rlm_query(fmt.Sprint(i), s) }() }
wg.Wait()
FINAL(strings.Join(out, ""))`, h))}, nil
}

// Texts passed between cells do not accumulate in the host, and children have room for their own calls while their
// parents wait.
func TestTheHostStaysSmallWhileCellsHandOnLargeTexts(t *testing.T) {
	children := "4" // their texts exceed the host's bound
	if os.Getenv("RLM_LONG") != "" {
		children = "20"
	}
	ownhost.Each(t, slices.Values([]string{children}), func(t *testing.T, thing string) {
		children, err := strconv.Atoi(thing)
		require.NoError(t, err)
		r := newRunner(t, hands(children), locked,
			runner.WithBudgets(runner.Budgets{Depth: 1, Tokens: 1 << 40, Recorded: 1 << 40}))
		for ev, err := range r.Run(t.Context(), "go", runner.Text("t", "x")) {
			require.NoError(t, err)
			if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
				require.Equal(t, strings.Repeat("okok", children), d.Answer, d.Reason)
			}
		}
	})
}

// largeReplies are replies of a root that maximise the work of its host. N is replaced by a number of children
// whose texts exceed the host's bound. Only the processes that need them make them.
var largeReplies = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"children with 8 MB and 60 MB": fence(`s, p := strings.Repeat("0123456789abcdef", 60<<16), strings.Repeat("p", 8<<20-1)
for i := range N { rlm_query(fmt.Sprint(i) + p, s) }
FINAL("over")`),
		"children at once with 8 MB and 60 MB": fence(`s, p := strings.Repeat("0123456789abcdef", 60<<16), strings.Repeat("p", 8<<20-1)
var wg sync.WaitGroup
for i := range N { wg.Add(1); go func() { defer wg.Done(); rlm_query(fmt.Sprint(i) + p, s) }() }
wg.Wait()
FINAL("over")`),
		"sub-calls of 8 MB": fence(`p := strings.Repeat("p", 8<<20-2)
var wg sync.WaitGroup
for i := range 30 { wg.Add(1); go func() { defer wg.Done(); llm_query(fmt.Sprint(i) + p) }() }
wg.Wait()
FINAL("over")`),
		"an answer of 4 MB":     fence(`FINAL(strings.Repeat("x", 4<<20))`),
		"500 000 signals":       strings.Repeat("FINAL(", 500_000),
		"100 000 small cells":   strings.Repeat("```go\nx := 1\n```\n", 100_000),
		"1 000 000 backquotes":  strings.Repeat("`", 1_000_000),
		"500 000 quotes":        strings.Repeat("> ", 500_000),
		"300 000 open brackets": strings.Repeat("[![", 300_000),
	}
})

// large is a model whose first reply is this text. It stores none of its requests.
type large string

func (large) Name() string { return "large" }

func (l large) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	switch {
	case req.Key.Cell > 0:
		return llm.Response{Content: "ok"}, nil
	case req.Key.Path != "":
		return llm.Response{Content: fence(`FINAL(llm_query("is it so?"))`)}, nil
	case req.Key.N > 0:
		return llm.Response{Content: fence(`FINAL("over")`)}, nil
	}
	return llm.Response{Content: string(l)}, nil
}

// Whatever a model replies and its cells pass on, the host stays small. Each reply has its own host.
func TestTheHostStaysSmallWhateverAReplyHolds(t *testing.T) {
	children := "3"
	if os.Getenv("RLM_LONG") != "" {
		children = "10"
	}
	ownhost.Each(t, maps.Keys(largeReplies()), func(t *testing.T, name string) {
		reply := strings.Replace(largeReplies()[name], "range N ", "range "+children+" ", 1)
		r := newRunner(t, large(reply), locked,
			runner.WithBudgets(runner.Budgets{Depth: 1, Tokens: 1 << 40, Recorded: 1 << 40}))
		ended := false
		for ev, err := range r.Run(t.Context(), "go", runner.Text("t", "x")) {
			require.NoError(t, err)
			if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
				require.True(t, d.HasAnswer, d.Reason)
				ended = true
			}
		}
		require.True(t, ended)
	})
}

// zipped is an archive of many members with a long name, each with the same bytes.
func zipped(t *testing.T, members, name int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range members {
		member, err := w.Create(fmt.Sprintf("%s%d.txt", strings.Repeat("n", name), i))
		require.NoError(t, err)
		_, err = member.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// crowds are archives with more members than they may have, and the reason why the rest is left out.
var crowds = map[string]struct {
	archive func(t *testing.T) []byte
	why     string
}{
	"members": {func(t *testing.T) []byte { return zipped(t, 150_000, 1, nil) }, "more than 65536 members"},
	"members with names": {func(t *testing.T) []byte {
		return zipped(t, 65_000, 100, []byte("x"))
	}, "the names of its members"},
	"members in members with names": {func(t *testing.T) []byte {
		return zipped(t, 2, 450, zipped(t, 3, 450, zipped(t, 1500, 450, nil)))
	}, "the names of its members"},
}

// However many members an archive has, and whatever their names, the host stays small, and the person is told that
// there are more.
func TestTheHostStaysSmallWhateverAnArchiveHolds(t *testing.T) {
	names := []string{"members in members with names"}
	if os.Getenv("RLM_LONG") != "" { // the others take a worker several seconds
		names = slices.Collect(maps.Keys(crowds))
	}
	ownhost.Each(t, slices.Values(names), func(t *testing.T, name string) {
		path := filepath.Join(t.TempDir(), "crowd.zip")
		require.NoError(t, os.WriteFile(path, crowds[name].archive(t), 0o600))
		r := newRunner(t, large(fence(`FINAL("over")`)), locked)
		warned := ""
		for ev, err := range r.Run(t.Context(), "go", runner.Path(path)) {
			require.NoError(t, err)
			switch d := ev.Data.(type) {
			case trajectory.Warned:
				warned += d.Text
			case trajectory.ContextAdded:
				warned += strings.Join(d.Skipped, "; ")
			case trajectory.RunEnded:
				require.Equal(t, "over", d.Answer)
			}
		}
		require.Contains(t, warned, crowds[name].why)
	})
}
