package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/mcp"
	"github.com/gorlm/rlm/internal/testing/nothing"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// starter serves all servers: a spare worker that one leaves behind is used by the next.
var starter = sandbox.NewStarter()

// newRunner returns a runner over a new folder.
func newRunner(t *testing.T, model llm.Model, opts ...runner.Option) *runner.Runner {
	t.Helper()
	r, err := runner.New(model, append(opts, runner.WithDataDir(t.TempDir()), host.Starter(starter))...)
	require.NoError(t, err)
	return r
}

// connected connects a client to a server over folders whose questions a model answers.
func connected(t *testing.T, model llm.Model, o *sdk.ClientOptions, folders ...string) *sdk.ClientSession {
	t.Helper()
	return connectedTo(t, newRunner(t, model, runner.WithBudgets(runner.Budgets{Iterations: 5})), o, folders...)
}

// connectedTo connects a client to a server over folders that asks with a runner.
func connectedTo(t *testing.T, r *runner.Runner, o *sdk.ClientOptions, folders ...string) *sdk.ClientSession {
	t.Helper()
	notebooks := mcp.NewOwn(r, 0)
	s, err := mcp.New(mcp.Config{Notebooks: notebooks, Folders: folders, Version: "test"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, in, out) }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(
		soon(t), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = client.Close()
		cancel()
		<-served
		require.NoError(t, notebooks.Close())
	})
	return client
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// call calls a tool and decodes the result into out; it returns an error of the tool as text.
func call(t *testing.T, c *sdk.ClientSession, tool string, args map[string]any, out any) string {
	t.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("p")
	res, err := c.CallTool(soon(t), params)
	require.NoError(t, err)
	if out != nil && res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, out))
	}
	if res.IsError {
		return res.Content[0].(*sdk.TextContent).Text
	}
	return ""
}

func docs(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.log"), []byte("alpha ERROR one\nbeta ok\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.log"), []byte("gamma ERROR zwei ü\n"), 0o600))
	return dir
}

// TestWhatComesToNothingIsAnError: a run that exits with code 3 on the command line is an error of the tool here,
// whatever the model did.
func TestWhatComesToNothingIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.log"), []byte(nothing.Text()), 0o600))
	for name, c := range nothing.Ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := connected(t, llm.NewScripted("m", c.Replies()...), nil, dir)
			var out struct {
				Status    string
				Reply     string
				HasAnswer bool `json:"has_answer"`
			}
			text := call(t, client, "ask",
				map[string]any{"question": nothing.Question, "paths": []string{"app.log"}, "max_turns": 20}, &out)
			require.Contains(t, text, "("+c.Status+")")
			require.Equal(t, c.Status, out.Status)
			require.Equal(t, c.Partial != "", out.HasAnswer)
			if !out.HasAnswer {
				require.NotEmpty(t, out.Reply)
			}
		})
	}
}

func TestAskAndGoOn(t *testing.T) {
	t.Parallel()
	model := llm.NewScripted("m",
		"```go\nn := strings.Count(context, \"ERROR\")\nFINAL(n)\n```",
		"```go\nFINAL(n * 10)\n```")
	var mu sync.Mutex
	var steps []string
	c := connected(t, model, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, req.Params.Message)
		},
	}, docs(t))
	require.Contains(t, c.InitializeResult().Instructions, "far larger than your window")

	var out struct {
		Answer, Session, Status string
		Turns                   int
		Grounding               trajectory.Grounding
	}
	require.Empty(t, call(t, c, "ask",
		map[string]any{"question": "How many errors?", "paths": []string{"."}, "max_turns": 3}, &out))
	require.Equal(t, "2", out.Answer)
	require.Equal(t, "grounded", out.Grounding.Verdict)
	require.Equal(t, "completed", out.Status)
	require.Empty(t, call(t, c, "ask", map[string]any{"question": "Times ten?", "session": out.Session}, &out))
	require.Equal(t, "20", out.Answer)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(steps, "turn 1")
	}, time.Minute, time.Millisecond)

	list, err := c.ListResources(soon(t), nil)
	require.NoError(t, err)
	require.Len(t, list.Resources, 1)
	read, err := c.ReadResource(soon(t), &sdk.ReadResourceParams{URI: list.Resources[0].URI})
	require.NoError(t, err)
	require.Contains(t, read.Contents[0].Text, `"answer":"20"`)
	require.Contains(t, call(t, c, "ask", map[string]any{"question": "q", "session": "other"}, nil),
		"there is no session")
	require.Contains(t, call(t, c, "ask", map[string]any{"question": " "}, nil), "empty")
}

// TestAReasonIsGivenOnce: what was not found is the reason of the status, and the text names it once.
func TestAReasonIsGivenOnce(t *testing.T) {
	t.Parallel()
	policy := termination.DefaultPolicy(termination.Response)
	policy.RequireGrounded = true
	model := llm.NewScripted("m", "```go\nfmt.Println(strings.Count(context, \"ERROR\"))\n```",
		"```go\nFINAL(\"2 errors, of 742 lines\")\n```", "```go\nFINAL(\"2 errors, of 742 lines\")\n```")
	c := connectedTo(t, newRunner(t, model, runner.WithPolicy(policy)), nil, docs(t))
	res, err := c.CallTool(soon(t), &sdk.CallToolParams{
		Name: "ask", Arguments: map[string]any{"question": "How many errors?", "paths": []string{"."}},
	})
	require.NoError(t, err)
	text := res.Content[0].(*sdk.TextContent).Text
	require.Contains(t, text, "(not_grounded)")
	require.Equal(t, 1, strings.Count(text, "not found in this run: 742"), text)
}

// TestDoubtsAreInTheText: a client that reads only the text is told how far an answer can be relied on, and what a
// model that gave none asks for.
func TestDoubtsAreInTheText(t *testing.T) {
	t.Parallel()
	const count = "```go\nfmt.Println(strings.Count(context, \"ERROR\"))\n```"
	answer := func(text string) string { return "```go\nFINAL(\"" + text + "\")\n```" }
	long := strings.Repeat("10:01 ERROR cart\n", 2000)
	for name, c := range map[string]struct {
		replies []string
		cut     bool // the replies after the first are cut
		text    string
		isError bool
	}{
		"a limit": {
			[]string{count, "```go\nx := 1\n```", "```go\ny := 1\n```", "```go\nz := 1\n```", answer("2000")},
			false,
			"Perhaps incomplete: the turn limit was reached", false,
		},
		"a guess":     {[]string{answer("742"), answer("742")}, false, "before any of the text was looked at", false},
		"a cut reply": {[]string{count, answer("2000")}, true, "1 incomplete reply", false},
		"cut words": {
			[]string{count, "2000 lines, and", "2000 lines, and", "2000 lines, and"},
			true,
			"Not to be relied on: ", true,
		},
		"a question in a cell": {
			[]string{answer("Which log?"), answer("Which log?")},
			false,
			"it was not given: Which log? (needs_input).\n\n[", true,
		},
		"a question after a look": {[]string{count, "Which log?"}, false, "it was not given: Which log? (needs_input).", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llm.ScriptedFunc("m", func(_ context.Context, _ llm.Request, n int) (llm.Response, error) {
				r := llm.Response{Content: c.replies[min(n, len(c.replies)-1)]}
				if c.cut && n > 0 {
					r.FinishReason = "length"
				}
				return r, nil
			})
			res, err := connected(t, model, nil).CallTool(soon(t), &sdk.CallToolParams{
				Name: "ask", Arguments: map[string]any{"question": "How many errors?", "text": long, "max_turns": 4},
			})
			require.NoError(t, err)
			text := res.Content[0].(*sdk.TextContent).Text
			require.Contains(t, text, c.text)
			require.Equal(t, c.isError, res.IsError, text)
			require.NotContains(t, text, "```", "a question is not shown as the cell that asked it")
		})
	}
}

// TestTooManyValuesAreSaidToBeUntraced: an answer with more values than are traced does not look as if all were found.
func TestTooManyValuesAreSaidToBeUntraced(t *testing.T) {
	t.Parallel()
	model := llm.NewScripted("m", "```go\nfmt.Println(\"errors:\", strings.Count(context, \"ERROR\"))\n```",
		"```go\nFINAL(strings.Repeat(\"2 errors\\n\", 600) + \"742 warnings\")\n```")
	c := connectedTo(t, newRunner(t, model), nil, docs(t))
	res, err := c.CallTool(soon(t), &sdk.CallToolParams{
		Name: "ask", Arguments: map[string]any{"question": "How many errors?", "paths": []string{"."}},
	})
	require.NoError(t, err)
	require.Contains(t, res.Content[0].(*sdk.TextContent).Text, "not traced: 102 further values")
}

// TestAnAnswerHasAForm: a schema applies to the session's later answers too; a wrong one is refused.
func TestAnAnswerHasAForm(t *testing.T) {
	t.Parallel()
	client := connected(t, llm.NewScripted("m", "```go\nn := strings.Count(context, \"hay\")\nFINAL(Answer{N: n})\n```",
		"```go\nFINAL(Answer{N: n * 2})\n```"), nil)
	schema := map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
		"properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []any{"n"},
	}
	var out struct{ Answer, Session string }
	require.Empty(t, call(t, client, "ask", map[string]any{"question": "How many?", "text": "hay", "schema": schema},
		&out))
	require.JSONEq(t, `{"n": 1}`, out.Answer)
	require.Empty(t, call(t, client, "ask", map[string]any{"question": "And now?", "session": out.Session}, &out))
	require.JSONEq(t, `{"n": 2}`, out.Answer)
	wrong := map[string]any{"type": "object", "properties": 1}
	require.Contains(t, call(
		t, client, "ask", map[string]any{"question": "How many?", "text": "hay", "schema": wrong}, nil), "schema")
}

// TestARequestLowersBudgets: the request's budget stops a model that does not end.
func TestARequestLowersBudgets(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(_ context.Context, _ llm.Request, n int) (llm.Response, error) {
		return llm.Response{Content: "```go\nfmt.Println(" + strings.Repeat("1+", n) + "1)\n```"}, nil
	})
	c := connected(t, model, nil)
	var out struct {
		HasAnswer bool `json:"has_answer"`
		Status    string
		Turns     int
	}
	require.Contains(t, call(t, c, "ask", map[string]any{"question": "q", "max_turns": 2}, &out),
		"2 turns of 2 (max_iterations)")
	require.False(t, out.HasAnswer)
	require.LessOrEqual(t, out.Turns, 3)
	require.Contains(t, call(t, c, "ask", map[string]any{"question": "q", "max_turns": 50}, &out),
		"5 turns of 5 (max_iterations)")
	require.LessOrEqual(t, out.Turns, 6)
}

// TestACancelledQuestion: when the client cancels its call, the run ends.
func TestACancelledQuestion(t *testing.T) {
	t.Parallel()
	asked, ended := make(chan struct{}), make(chan struct{})
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		close(asked)
		<-ctx.Done()
		close(ended)
		return llm.Response{}, ctx.Err()
	})
	c := connected(t, model, nil)
	ctx, cancel := context.WithCancel(soon(t))
	go func() {
		<-asked
		cancel()
	}()
	_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q"}})
	require.ErrorIs(t, err, context.Canceled)
	<-ended
}

func TestNotebook(t *testing.T) {
	t.Parallel()
	c := connected(t, llm.NewScripted("m"), nil, docs(t))
	var opened struct {
		Session   string
		Size      int64
		Documents []struct {
			Name string
			Size int64
		}
	}
	require.Empty(t, call(t, c, "open_notebook", map[string]any{"paths": []string{"."}, "text": "my own"}, &opened))
	require.Len(t, opened.Documents, 3)
	var cell struct{ Output, Value, Error string }
	require.Empty(t, call(t, c, "run_cell",
		map[string]any{"session": opened.Session, "code": "n := len(docs)\nfmt.Println(n)"}, &cell))
	require.Equal(t, "3\n", cell.Output)
	require.Contains(t, call(t, c, "run_cell", map[string]any{"session": opened.Session, "code": "nope()"}, &cell),
		"undefined: nope")
	var found struct {
		Places []struct{ Document, Text string }
	}
	require.Empty(t, call(t, c, "search",
		map[string]any{"session": opened.Session, "query": "ERROR \\w+", "how": "regular"}, &found))
	require.Len(t, found.Places, 2)
	require.Contains(t, found.Places[1].Document, "b.log")
	var text struct {
		Text string
		Size int64
	}
	require.Empty(t, call(t, c, "read", map[string]any{
		"session": opened.Session, "document": opened.Documents[1].Name, "offset": 6, "length": 12,
	}, &text))
	require.Equal(t, "ERROR zwei ", text.Text)
	require.Contains(t, call(t, c, "read", map[string]any{"session": opened.Session, "offset": 10000}, nil),
		"not within")
	require.Contains(t, call(t, c, "read", map[string]any{"session": opened.Session, "document": "x"}, nil),
		"no document")
	require.Empty(t, call(t, c, "close_notebook", map[string]any{"session": opened.Session}, nil))
	require.Contains(t, call(t, c, "run_cell", map[string]any{"session": opened.Session, "code": "1"}, nil),
		"there is no session")
}

// TestPathsOutside: no spelling of a path leads out of the folders.
func TestPathsOutside(t *testing.T) {
	t.Parallel()
	dir, other := docs(t), docs(t)
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "link")))
	c := connected(t, llm.NewScripted("m"), nil, dir)
	for _, path := range []string{
		other, "/etc/passwd", "../" + filepath.Base(other), filepath.Join(dir, "..", filepath.Base(other)), "link",
		"link/a.log", filepath.Join(dir, "link"), "/no/such/thing", "https://example.com/",
	} {
		for _, tool := range []string{"open_notebook", "ask"} {
			failed := call(t, c, tool, map[string]any{"paths": []string{path}, "question": "q"}, nil)
			require.NotEmpty(t, failed, path)
			require.NotContains(t, failed, "zwei")
		}
	}
	none := connected(t, llm.NewScripted("m"), nil)
	require.Contains(t, call(t, none, "open_notebook", map[string]any{"paths": []string{dir}}, nil), "without folders")
}

// TestManyNotebooks: the least recently used notebooks are closed, and opened again with their variables.
func TestManyNotebooks(t *testing.T) {
	t.Parallel()
	c := connected(t, llm.NewScripted("m"), nil)
	var first, opened struct{ Session string }
	require.Empty(t, call(t, c, "open_notebook", map[string]any{"text": "a"}, &first))
	require.Empty(t, call(t, c, "run_cell", map[string]any{"session": first.Session, "code": "kept := 7"}, nil))
	for range 9 {
		require.Empty(t, call(t, c, "open_notebook", map[string]any{"text": "b"}, &opened))
	}
	var cell struct{ Output string }
	require.Empty(t, call(t, c, "run_cell",
		map[string]any{"session": first.Session, "code": "fmt.Println(kept, context)"}, &cell))
	require.Equal(t, "7 a\n", cell.Output)
}

// TestAClientThatIsGone: its question ends with it, and nothing keeps waiting for the model.
func TestAClientThatIsGone(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		close(asked)
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	})
	r := newRunner(t, model)
	notebooks := mcp.NewOwn(r, 0)
	s, err := mcp.New(mcp.Config{Notebooks: notebooks, Version: "test"})
	require.NoError(t, err)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), in, out) }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(
		soon(t), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	go func() {
		_, _ = client.CallTool(soon(t), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q"}})
	}()
	<-asked
	require.NoError(t, toServer.Close())
	<-served
	require.NoError(t, notebooks.Close())
}
