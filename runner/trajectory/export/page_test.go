package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// hostile is text that would act if it were not escaped.
const hostile = `</title><script>alert(1)</script><img src="https://example.org/x.png" onerror=alert(2)>&amp; ` +
	"\x1b[31m\x00"

// richRun has tables, charts, evidence and hostile text in every place where a run has text.
func richRun(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	add := func(turn int, payloads ...trajectory.Data) {
		for _, d := range payloads {
			_, err := log.Append("", turn, d)
			require.NoError(t, err)
		}
	}
	table, _, ok := bundle.NewTable([][]string{
		{"service", "errors", "note " + hostile}, {"cart", "125", hostile}, {"checkout", "250", "北京 & <b>"},
	}, true)
	require.True(t, ok)
	bars := chart.NewBars([]string{"checkout", "cart", hostile, "北京站"}, []float64{250, 125, -40, 60})
	var wave chart.Series
	for i := range 300 {
		wave.X, wave.Y = append(wave.X, chart.Number(1767225600+3600*i)), append(wave.Y, chart.Number(20+i%24*3))
	}
	wave.Name = "requests"
	line := chart.NewLine([]chart.Series{wave, {Name: "errors " + hostile, X: wave.X[:150], Y: wave.Y[80:230]}}, true)
	var items []bundle.Item
	output := "before " + hostile + "\n"
	for _, form := range []struct {
		text, media string
		v           any
	}{
		{"the table\nas text", bundle.TableType, table},
		{bars.Text(), bundle.ChartType, bars},
		{line.Text(), bundle.ChartType, line},
	} {
		item, err := bundle.New(form.text, form.media, form.v)
		require.NoError(t, err)
		items = append(items, item)
		output += form.text + "\n"
	}
	result, err := json.Marshal(
		map[string]any{"value": `{"a": 1}` + hostile, "items": bundle.Trim(items), "notes": []string{hostile}})
	require.NoError(t, err)
	source := "bars(errors) // " + hostile +
		"\nfmt.Println(\"a rather long line of code that does not fit onto the screen of a telephone, which has to scroll\")"
	add(0, trajectory.ContextAdded{Size: 1 << 20, Documents: 2, Sources: []string{hostile}},
		trajectory.RunStarted{
			Question: "Which service fails most? " + hostile, Model: "big " + hostile,
			Sandbox: "strict", Run: "r1",
		},
		trajectory.MessageAdded{Role: "system", Kind: "system", Content: trajectory.T("You write Go. " + hostile)})
	add(1, trajectory.TurnStarted{},
		trajectory.ReplyReceived{
			Content: trajectory.T("I group the lines and draw them. " + hostile + "\n\n```go\n" + source +
				"\n```\n\nThen I look."), Model: "big", Reasoning: trajectory.T(hostile),
			Usage: trajectory.Usage{Prompt: 900, Completion: 120},
		},
		trajectory.CellStarted{Cell: 1, Source: source},
		trajectory.SubCallStarted{Cell: 1, Hash: "a", Impl: "llm_query", Prompt: trajectory.T("Read this. " + hostile)},
		trajectory.SubCallEnded{Cell: 1, Hash: "a", Reply: trajectory.T("It says " + hostile)},
		trajectory.CellEnded{Cell: 1, OK: true, Output: output, Result: result},
		trajectory.Warned{Text: hostile})
	failed, err := json.Marshal(
		map[string]any{"error": map[string]any{"kind": "Panic", "message": "index out of range\n" + hostile}})
	require.NoError(t, err)
	add(2, trajectory.TurnStarted{}, trajectory.ReplyReceived{Content: trajectory.T("```go\nx[9]\n```")},
		trajectory.CellStarted{Cell: 2, Source: "x[9]"},
		trajectory.CellEnded{Cell: 2, Result: failed, ErrorKind: "Panic"},
		trajectory.RunEnded{
			Status: "completed", Answer: "checkout, with 250 errors [1] " + hostile, HasAnswer: true, Turns: 2,
			Cells: 2, SubCalls: 1,
			Evidence: []trajectory.Evidence{{Mark: "[1]", Document: "a.log" + hostile, Part: "sheet 2 (" + hostile +
				")", Line: 7, Cells: hostile, Quote: "checkout failed " + hostile, Notes: []string{hostile}}},
		})
	require.NoError(t, log.Close())
	return dir
}

// framed returns an exported page without the reader's own script and style, and the events in it.
func framed(t testing.TB, page string) (frame string, events []trajectory.Event) {
	t.Helper()
	before, rest, ok := strings.Cut(page, `<script type="application/json" id="session">`)
	require.True(t, ok)
	data, rest, ok := strings.Cut(rest, "</script>")
	require.True(t, ok)
	require.NotContains(t, data, "<", "nothing in the data ends it")
	var session struct{ Events []trajectory.Event }
	require.NoError(t, json.Unmarshal([]byte(data), &session))
	head, style, ok := strings.Cut(before, "<style>")
	require.True(t, ok)
	_, body, ok := strings.Cut(style, "</style>")
	require.True(t, ok)
	after, script, ok := strings.Cut(rest, "<script>")
	require.True(t, ok)
	script, end, ok := strings.Cut(script, "</script>")
	require.True(t, ok)
	require.NotContains(t, script, "<script")
	return head + body + after + end, session.Events
}

// TestPageHoldsNothingThatActs: the page contains the whole log as data, none of its text is markup or code, and
// only the reader's script may run.
func TestPageHoldsNothingThatActs(t *testing.T) {
	dir := richRun(t)
	page := exported(t, func(b *strings.Builder) error { return export.HTML(b, trajectory.Read(dir)) })
	frame, events := framed(t, page)
	before, rest, found := strings.Cut(frame, "<noscript>")
	require.True(t, found)
	plain, after, found := strings.Cut(rest, "</noscript>")
	require.True(t, found)
	frame = before + after
	readsWithoutScripts(t, plain)
	for _, never := range []string{
		"alert", "onerror", "example.org", "javascript:", "src=", "url(", "@import", "unsafe",
	} {
		require.NotContains(t, frame, never)
	}
	require.Contains(t, frame, `content="default-src 'none'; script-src 'sha256-`)
	var recorded []trajectory.Event
	for ev, err := range trajectory.Read(dir) {
		require.NoError(t, err)
		recorded = append(recorded, ev)
	}
	want, err := json.Marshal(recorded)
	require.NoError(t, err)
	got, err := json.Marshal(events)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))

	empty := exported(t, func(b *strings.Builder) error {
		return export.HTML(b, func(func(trajectory.Event, error) bool) {})
	})
	_, events = framed(t, empty)
	require.Empty(t, events)
}

// readsWithoutScripts: the version without scripts has the question, the code and the answer, and no element that
// loads or does anything.
func readsWithoutScripts(t *testing.T, plain string) {
	t.Helper()
	var text strings.Builder
	for z := html.NewTokenizer(strings.NewReader(plain)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		switch token := z.Token(); kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			require.Contains(t, []string{
				"main", "p", "h1", "h2", "h3", "pre", "code", "blockquote", "ul", "ol", "li",
				"em", "strong", "hr", "br",
			}, token.Data, token.String())
			for _, a := range token.Attr {
				require.Equal(t, "class", a.Key, token.String())
			}
		case html.TextToken:
			text.WriteString(token.Data)
		case html.CommentToken:
			require.Equal(t, " raw HTML omitted ", token.Data)
		}
	}
	for _, part := range []string{
		"Which service fails most?", "bars(errors)", "checkout, with 250 errors", "x[9]", "index out of range",
	} {
		require.Contains(t, text.String(), part)
	}
}

// TestEachAnswerListsItsOwnPassages: a session has several answers, and all may contain the same mark.
func TestEachAnswerListsItsOwnPassages(t *testing.T) {
	events := func(yield func(trajectory.Event, error) bool) {
		for i, quote := range []string{"the first", "the second"} {
			for _, d := range []trajectory.Data{
				trajectory.RunStarted{Question: quote},
				trajectory.TurnStarted{},
				trajectory.ReplyReceived{Content: trajectory.T(quote)},
				trajectory.RunEnded{
					Status: "completed", Answer: "so [^1kvw]", HasAnswer: true, UnknownMarks: []string{"[^8xyz]"},
					Unsupported: "a mark is unknown",
					Evidence: []trajectory.Evidence{
						{Mark: "[^1kvw]", Line: int64(i + 1), Quote: quote, Occurrences: 2, Gone: i == 1},
					},
				},
			} {
				if !yield(trajectory.Event{Turn: 1, Data: d}, nil) {
					return
				}
			}
		}
	}
	text := exported(t, func(b *strings.Builder) error { return export.Markdown(b, events) })
	require.Contains(t, text,
		"[^1kvw]: `context`, line 2: `the second` (the first of 2 places) (no longer part of the context)\n")
	require.Contains(t, text, "- evidence is required: `a mark is unknown`")
	missing := trajectory.RunEnded{
		Status: "evidence_missing", Reason: "evidence is required: the answer has no evidence", Answer: "3",
		HasAnswer: true, Unsupported: "the answer has no evidence",
	}
	text = exported(t, func(b *strings.Builder) error {
		return export.Markdown(b, func(yield func(trajectory.Event, error) bool) {
			yield(trajectory.Event{Turn: 1, Data: missing}, nil)
		})
	})
	require.Equal(t, 1, strings.Count(text, missing.Unsupported), "the status says it")
}

// TestPassagesNameTheirPage: a reader can find a passage of a converted document in the original.
func TestPassagesNameTheirPage(t *testing.T) {
	events := func(yield func(trajectory.Event, error) bool) {
		for _, d := range []trajectory.Data{
			trajectory.RunStarted{Question: "Who pays?"}, trajectory.TurnStarted{}, trajectory.RunEnded{
				Status: "completed", Answer: "We do [^1kvw]", HasAnswer: true,
				Evidence: []trajectory.Evidence{
					{Mark: "[^1kvw]", Document: "contract.pdf", Part: "page 12", Line: 340, Quote: "the buyer pays"},
				},
			},
		} {
			if !yield(trajectory.Event{Turn: 1, Data: d}, nil) {
				return
			}
		}
	}
	text := exported(t, func(b *strings.Builder) error { return export.Markdown(b, events) })
	require.Contains(t, text, "[^1kvw]: `contract.pdf, page 12`, line 340: `the buyer pays`\n")
	notebook := exported(t, func(b *strings.Builder) error { return export.Notebook(b, events) })
	require.Contains(t, notebook, "contract.pdf, page 12, line 340")
}

// TestExportsSayWhatAnAnswerRestsOn: exports list the values of an answer with their sources, ungrounded ones
// first.
func TestExportsSayWhatAnAnswerRestsOn(t *testing.T) {
	events := func(yield func(trajectory.Event, error) bool) {
		for _, d := range []trajectory.Data{
			trajectory.RunStarted{Question: "How many?"}, trajectory.TurnStarted{}, trajectory.RunEnded{
				Status: "completed", Answer: "42 errors and 17 warnings", HasAnswer: true, Guess: true, CutReplies: 2,
				Grounding: &trajectory.Grounding{Verdict: "partly", Untraced: 102, Values: []trajectory.GroundedValue{
					{
						Value: "42", Grounded: true, Why: "stands there",
						Where: &trajectory.Place{Kind: "output", Turn: 2, Cell: 3, Document: "a.log", Line: 7},
					},
					{Value: "17", Why: "not found in this run"},
				}},
			},
		} {
			if !yield(trajectory.Event{Turn: 1, Data: d}, nil) {
				return
			}
		}
	}
	const list = "*A guess: it was given before any of the text was looked at.*\n\n*2 incomplete replies: cut off, filtered or refused.*\n\n" +
		"Grounding: partly.\n\nFound nowhere in this run:\n\n- `17`: not found in this run\n\n" +
		"What the answer rests on:\n\n- `42`: the output of cell 3, a.log, line 7\n\n" +
		"Not traced: 102 further values.\n\n"
	require.Contains(t, exported(t, func(b *strings.Builder) error { return export.Markdown(b, events) }), list)
	quoted, err := json.Marshal(list)
	require.NoError(t, err)
	require.Contains(t, exported(t, func(b *strings.Builder) error { return export.Notebook(b, events) }),
		strings.Trim(string(quoted), `"`))
}

// TestPageOfManySubCallsIsBounded: ten thousand sub-calls make a page below 20 MB, with a note on what is left
// out.
func TestPageOfManySubCallsIsBounded(t *testing.T) {
	long := strings.Repeat("a record that is long and says <little> ", 100)
	events := func(yield func(trajectory.Event, error) bool) {
		send := func(d trajectory.Data) { yield(trajectory.Event{Turn: 1, Data: d}, nil) }
		send(trajectory.TurnStarted{})
		send(trajectory.ReplyReceived{Content: trajectory.T("```go\nx\n```")})
		send(trajectory.CellStarted{Cell: 1, Source: "x"})
		for i := range 5_000 { // 43 MB of texts
			hash := fmt.Sprint(i)
			send(trajectory.SubCallStarted{Cell: 1, Hash: hash, Impl: "llm_query", Prompt: trajectory.T(hash + long)})
			send(trajectory.SubCallEnded{Cell: 1, Hash: hash, Reply: trajectory.T(hash + long)})
		}
		send(trajectory.CellEnded{Cell: 1, OK: true, Result: json.RawMessage(`{}`)})
		send(trajectory.RunEnded{Status: "completed", Answer: "the answer", HasAnswer: true})
	}
	page := exported(t, func(b *strings.Builder) error { return export.HTML(b, events) })
	require.Less(t, len(page), 20<<20)
	frame, all := framed(t, page)
	require.Len(t, all, 10_005)
	require.Contains(t, frame, "of long texts were left out of this page")
	require.Equal(t, "the answer", all[len(all)-1].Data.(trajectory.RunEnded).Answer)
	require.Equal(t, "0"+long, all[3].Data.(trajectory.SubCallStarted).Prompt.String())
	require.Contains(t, all[len(all)-3].Data.(trajectory.SubCallEnded).Reply.String(), "more)")
}

// TestNotebook: the notebook has prose, cells and outputs as bundles, and nbformat's own validator accepts it.
func TestNotebook(t *testing.T) {
	dir := richRun(t)
	out := exported(t, func(b *strings.Builder) error { return export.Notebook(b, trajectory.Read(dir)) })
	var nb struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Source  string
			Count   *int `json:"execution_count"`
			Outputs []struct {
				Type string `json:"output_type"`
				Text string
				Data map[string]json.RawMessage
				Name string `json:"ename"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &nb))
	var code []int
	for i, c := range nb.Cells {
		if c.Type == "code" {
			code = append(code, i)
		}
	}
	require.Len(t, code, 2)
	first := nb.Cells[code[0]]
	require.Equal(t, 1, *first.Count)
	require.True(t, strings.HasPrefix(nb.Cells[code[0]-1].Source, "I group the lines"))
	require.NotContains(t, nb.Cells[code[0]-1].Source, "```")
	require.Equal(t, "Then I look.", nb.Cells[code[0]+1].Source)
	require.Len(t, first.Outputs, 5)
	require.Equal(t, "stream", first.Outputs[0].Type)
	require.Equal(t, "display_data", first.Outputs[1].Type)
	require.Contains(t, string(first.Outputs[1].Data["text/html"]), "u0026lt;b")
	require.Contains(t, first.Outputs[1].Data, bundle.TableType)
	require.Contains(t, first.Outputs[2].Data, "image/svg+xml")
	require.Equal(t, "execute_result", first.Outputs[4].Type)
	require.Equal(t, "Panic", nb.Cells[code[1]].Outputs[0].Name)
	require.Contains(t, nb.Cells[len(nb.Cells)-1].Source, "## Answer\n\ncheckout, with 250 errors [1]")

	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil || exec.Command(python, "-c", "import nbformat").Run() != nil {
		t.Skip("SKIP the validator of nbformat: python3-nbformat is not installed")
	}
	file := filepath.Join(t.TempDir(), "run.ipynb")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	said, err := exec.Command(
		python, "-c", "import sys, nbformat; nb = nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT); nbformat.validate(nb); print(nb.nbformat, nb.nbformat_minor)", file).CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, "4 5\n", string(said))
}

// TestPageInABrowser: a real browser shows the page without console messages or requests, and the run's content
// stays text.
func TestPageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIP the page in a browser: chromium is not installed")
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "run.html")
	f, err := os.Create(page)
	require.NoError(t, err)
	require.NoError(t, export.HTML(f, trajectory.Read(richRun(t))))
	require.NoError(t, f.Close())
	netLog := filepath.Join(dir, "net.json")
	profile, err := os.MkdirTemp("", "rlm-browser-") // the browser's processes may write into it after it ends
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	open := func(what string) (dom, said string, err error) {
		cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu",
			"--disable-dev-shm-usage", "--user-data-dir="+profile,
			"--disable-background-networking", "--disable-component-update", "--no-first-run",
			"--enable-logging=stderr", "--log-level=0", "--v=0",
			"--log-net-log="+netLog, what, "--window-size=390,2400", "file://"+page)
		cmd.Env = append(os.Environ(), "HOME="+profile)
		cmd.WaitDelay = 10 * time.Second
		var out, log strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &log
		err = cmd.Run()
		return out.String(), log.String(), err
	}
	dom, said, err := open("--dump-dom")
	if !strings.Contains(dom, "</html>") {
		t.Skipf("SKIP the page in a browser: chromium does not run here: %v", err)
	}
	require.NotContains(t, said, "CONSOLE", "no word on the console")
	net, err := os.ReadFile(netLog)
	require.NoError(t, err)
	require.NotContains(t, string(net), "example.org", "no request to anywhere")
	_, shown, ok := strings.Cut(dom, `<div id="app">`)
	require.True(t, ok)
	shown, _, ok = strings.Cut(shown, `<script type="application/json"`)
	require.True(t, ok)
	inert(t, shown)
	for _, want := range []string{
		"<svg", "<table", "Which service fails most? &lt;/title&gt;", "index out of range",
		"checkout failed", "before &lt;/title&gt;",
	} {
		require.Contains(t, shown, want)
	}
	if keep := os.Getenv("RLM_PICTURES"); keep != "" { // pictures to look at
		shot := filepath.Join(dir, "page.png")
		_, said, err := open("--screenshot=" + shot)
		require.NoError(t, err, said)
		require.NoError(t, exec.Command("cp", shot, page, keep).Run())
	}
}

// inert fails if markup contains anything that loads, leads elsewhere or acts.
func inert(t *testing.T, markup string) {
	t.Helper()
	for z := html.NewTokenizer(strings.NewReader(markup)); z.Next() != html.ErrorToken; {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		require.NotContains(t, []string{
			"script", "img", "iframe", "object", "embed", "link", "meta", "base", "form", "image", "use",
		}, token.Data)
		for _, a := range token.Attr {
			require.False(t, a.Key == "src" || strings.HasPrefix(a.Key, "on"), "%s", token)
			require.True(t, a.Key != "href" || strings.HasPrefix(a.Val, "#"), "%s", token)
		}
	}
}
