package chat

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// plainly runs a session without a terminal over an input.
func plainly(
	t *testing.T, reply func(fakeapi.Request) fakeapi.Reply, input string, change ...func(*Options),
) (string, error) {
	t.Helper()
	server := fakeapi.StartFunc(reply)
	defer server.Close()
	model, err := llm.New(llm.Config{Model: "root", BaseURL: server.URL(), APIKey: llm.NewSecret("key"), Tries: 1})
	require.NoError(t, err)
	r, err := runner.New(model, runner.WithDataDir(t.TempDir()), host.Starter(starter))
	require.NoError(t, err)
	var out strings.Builder
	opt := Options{Runner: r, Screen: Screen{In: strings.NewReader(input), Out: &out, Builtins: documented}}
	for _, f := range change {
		f(&opt)
	}
	err = Run(t.Context(), opt)
	return out.String(), err
}

func TestPlainTextIsNeitherSetNorBroken(t *testing.T) {
	long := strings.Repeat("a long line of an answer ", 20) + "\n\n```\n" + strings.Repeat("code", 50) +
		"\n```\n\n* an item"
	cell := "FINAL(`" + strings.Repeat("x", 300) + "`)"
	out, err := plainly(t, func(r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Last(), "prose") {
			return fakeapi.Reply{Content: long}
		}
		return fakeapi.Reply{Content: inFence(cell)}
	}, "in prose\nin code\n> fmt.Println(strings.Repeat(\"wide \", 40)); for i := range 60 { fmt.Println(\"line\", i) }\n")
	require.NoError(t, err)
	require.Contains(t, out, long)
	require.Contains(t, out, cell)
	require.Contains(t, out, strings.Repeat("wide ", 40))
	require.Contains(t, out, "line 30\n", "nothing is folded")
}

func TestPlainCellsOverSeveralLines(t *testing.T) {
	out, err := plainly(t, nil,
		"> if true {\nfmt.Println(\"inside\")\n}\n>\nx := 1\nif x > 0 {\n\tfmt.Println(\"second\")\n}\n")
	require.NoError(t, err)
	require.Contains(t, out, "inside")
	require.Contains(t, out, "second")
}

func TestPlainSaysHowItEnded(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply fakeapi.Reply
		input string
		code  int
	}{
		{"answered", fakeapi.Reply{Content: inFence(`FINAL("x")`)}, "ask\n", 0},
		{"the endpoint fails", fakeapi.Failing(401, "no"), "ask\n> 1 + 1\n", exitcode.Endpoint},
		{"a later answer does not make up for it", fakeapi.Failing(500, "no"), "ask\nask\n", exitcode.Endpoint},
		{"a command that is none", fakeapi.Reply{}, "/nonsense\n", exitcode.Failed},
		{"a shell command", fakeapi.Reply{}, "!ls\n", exitcode.Failed},
		{"nothing", fakeapi.Reply{}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plainly(t, func(fakeapi.Request) fakeapi.Reply { return tt.reply }, tt.input)
			var undone *front.Exit
			if tt.code == 0 {
				require.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, &undone)
			require.Equal(t, tt.code, undone.Code)
		})
	}
}

func TestPlainWithoutAModel(t *testing.T) {
	out, err := plainly(t, nil, "> 6 * 7\na question\n", func(o *Options) {
		o.NoModel = errors.New("name a model first")
	})
	var undone *front.Exit
	require.ErrorAs(t, err, &undone)
	require.Equal(t, exitcode.Usage, undone.Code)
	require.Contains(t, out, "= 42")
	require.Contains(t, out, "name a model first")
}

// TestPlainFootnotes: an answer's footnotes go to the other stream, and the answer is unchanged.
func TestPlainFootnotes(t *testing.T) {
	var notes strings.Builder
	out, err := plainly(t, func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: inFence(`FINAL("It failed" + cite("pump failed") + ".")`)}
	}, "what happened?\nand then?\n", func(o *Options) {
		o.Inputs, o.Err = []runner.Input{runner.Text("log.txt", "all quiet\nthe pump failed at three\n")}, &notes
	})
	require.NoError(t, err)
	require.Regexp(t, `^(\[\^1[a-z]{3}\]) log\.txt:2 “pump failed”\n(\[\^1[a-z]{3}\]) log\.txt:2 “pump failed”\n$`,
		notes.String())
	require.Contains(t, out, "It failed"+notes.String()[:len("[^1kvw]")]+".\n──")
	require.NotContains(t, out, "log.txt:2")
}
