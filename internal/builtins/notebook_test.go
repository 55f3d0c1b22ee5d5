package builtins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

// session runs cells in a real notebook.
type session struct {
	t    *testing.T
	n    *repl.Notebook
	out  bytes.Buffer
	cell int
}

func newSession(t *testing.T, specs []builtins.Spec, h builtins.Host, text string) *session {
	t.Helper()
	made, err := builtins.Make(specs, h, builtins.NewMarks())
	require.NoError(t, err)
	s := &session{t: t}
	s.n, err = repl.New(repl.Config{
		Engine: repl.Exact, Context: text, Docs: []repl.Doc{{Name: "a.txt", Text: text}},
		Builtins: made, Stdout: &s.out,
	})
	require.NoError(t, err)
	return s
}

// run runs a cell and returns its output and its result.
func (s *session) run(source string) (string, repl.Result) {
	s.t.Helper()
	s.out.Reset()
	s.cell++
	res := s.n.Run(context.Background(), source, repl.RunOptions{Cell: s.cell})
	return s.out.String(), res
}

// ok runs a cell that must succeed and returns its output.
func (s *session) ok(source string) string {
	s.t.Helper()
	out, res := s.run(source)
	require.Nil(s.t, res.Error, "%v", res.Error)
	return out
}

func TestTypedSubCallsInANotebook(t *testing.T) {
	h := &host{answer: func(c builtins.Call) (string, error) {
		switch prompt, _, _ := strings.Cut(string(c.Body), "\n"); prompt {
		case "finding":
			return `{"title": "Disk full", "severity": "high", "began": "2026-03-05T04:05:06Z", "lines": [3, 5],
				"owner": {"name": "Ada", "phone": null}, "labels": {"team": "db"}, "parts": [{"name": "wal", "size": 1.5}]}`, nil
		case "bad":
			return `{"title": "Disk full", "severity": "dire"}`, nil
		case "small":
			return `{"size": "small"}`, nil
		case "huge":
			return `{"size": "huge"}`, nil
		case "numbers":
			return `{"value": [1, 2, 3]}`, nil
		case "tree":
			return `{"name": "root", "children": [{"name": "leaf", "children": []}]}`, nil
		}
		return "", errRate
	}}
	s := newSession(t, builtins.Standard(answer.Response), h, "")
	s.ok(`
type Severity string
const (
	Low  Severity = "low"
	High Severity = "high"
)
type Owner struct {
	Name  string  ` + "`json:\"name\"`" + `
	Phone *string ` + "`json:\"phone\"`" + `
}
type Finding struct {
	Title    string            ` + "`json:\"title\"`" + `
	Severity Severity          ` + "`json:\"severity\"`" + `
	Began    time.Time         ` + "`json:\"began\"`" + `
	Lines    []int             ` + "`json:\"lines\"`" + `
	Owner    *Owner            ` + "`json:\"owner\"`" + `
	Labels   map[string]string ` + "`json:\"labels\"`" + `
	Parts    []struct {
		Name string  ` + "`json:\"name\"`" + `
		Size float64 ` + "`json:\"size\"`" + `
	} ` + "`json:\"parts\"`" + `
	cached bool
}
func (f Finding) Short() string { return f.Title + " (" + string(f.Severity) + ")" }
var f Finding`)
	require.Equal(t, "Disk full (high) 2026 5 Ada true db 1.5\n", s.ok(`
llm_query_json("finding", &f)
fmt.Println(f.Short(), f.Began.Year(), f.Lines[1], f.Owner.Name, f.Owner.Phone == nil, f.Labels["team"], f.Parts[0].Size)`))
	require.Contains(t, string(h.calls[0].Body), `"severity":{"type":"string","enum":["low","high"]}`)
	require.NotContains(t, string(h.calls[0].Body), "cached")

	_, res := s.run(`llm_query_json("bad", &f)`)
	require.NotNil(t, res.Error)
	require.Contains(t, res.Error.Message, `field severity should be one of "low", "high", and is "dire"`)
	require.Equal(t, "small\n",
		s.ok("var box struct { Size string `json:\"size\" enum:\"small,large\"` }\nllm_query_json(\"small\", &box)\nfmt.Println(box.Size)"))
	require.Contains(t, string(h.calls[len(h.calls)-1].Body), `"size":{"type":"string","enum":["small","large"]}`)
	_, res = s.run(`llm_query_json("huge", &box)`)
	require.NotNil(t, res.Error)
	require.Contains(t, res.Error.Message, `field size should be one of "small", "large", and is "huge"`)
	require.Equal(t, "caught: llm_query_json: the model is rate limited\n", s.ok(`
func() {
	defer func() { fmt.Println("caught:", recover()) }()
	llm_query_json("fail", &f)
}()`))
	require.Equal(t, "Disk full [1 2 3]\n", s.ok(`
var ns []int
llm_query_json("numbers", &ns)
fmt.Println(f.Title, ns)`))
	require.Equal(t, "2 true the model is rate limited\n", s.ok(`
var all []Finding
errs := llm_query_json_batched([]string{"finding", "other"}, &all)
fmt.Println(len(all), errs[0] == nil && all[0].Owner.Name == "Ada", errs[1])`))
	require.Equal(t, "leaf\n", s.ok(`
type Node struct {
	Name     string  `+"`json:\"name\"`"+`
	Children []Node  `+"`json:\"children\"`"+`
}
var n Node
llm_query_json("tree", &n)
fmt.Println(n.Children[0].Name)`))
}

func TestTextToolsInANotebook(t *testing.T) {
	text := "alpha one\nbeta two\n\ngamma three\n"
	s := newSession(t, builtins.Standard(answer.Response), says(""), text)
	require.Equal(t, "2 beta two 3\n", s.ok(`
hits := grep("^beta")
var h Hit = hits[0]
fmt.Println(h.Line, h.Text, len(grep("a .*", docs[0])))`))
	require.Equal(t, "4: gamma three\n", s.ok(`fmt.Println(grep("gamma")[0])`))
	require.Equal(t, "name  N\na     1\nbb    2\n", s.ok(`
type row struct { name string; N int }
fmt.Println(table([]row{{"a", 1}, {"bb", 2}}))`))
	require.Equal(t, "name  N\na     1\n", s.ok(`show([]row{{"a", 1}})`))
	require.Equal(t, "b 2\n", s.ok(`
v := parse_json("{\"a\": {\"b\": [1, 2]}}").(map[string]any)
for k, x := range v["a"].(map[string]any) { fmt.Println(k, x.([]any)[1]) }`))
	require.Equal(t, "gamma three\n", s.ok(`fmt.Println(search("gamma")[0].Text[20:])`))
}

func TestAToolInANotebook(t *testing.T) {
	h := &host{answer: func(c builtins.Call) (string, error) {
		if c.Tool == "broken" {
			return "", errRate
		}
		var args []json.RawMessage
		require.NoError(t, json.Unmarshal(c.Body, &args))
		return `[[{"Title": ` + string(args[0]) + `, "Score": 2}]]`, nil
	}}
	specs := append(builtins.Standard(answer.Response),
		builtins.Spec{
			Name: "lookup", Impl: "tool", Doc: "lookup(query string, limit int) []Entry\nLooks a word up.",
			Params:  []string{"query string", "limit int"},
			Results: []string{"[]Entry"}, Types: "type Entry struct { Title string; Score float64 }",
		},
		builtins.Spec{Name: "broken", Impl: "tool", Results: []string{"int", "error"}},
		builtins.Spec{Name: "submit", Impl: "tool", Params: []string{"text string"}, Signal: true},
	)
	s := newSession(t, specs, h, "")
	out, res := s.run(`
var es []Entry = lookup("word", 3)
fmt.Println(es[0].Title, es[0].Score)
_, err := broken()
fmt.Println(err)`)
	require.Nil(t, res.Error, "%v", res.Error)
	require.Equal(t, "word 2\nbroken: the model is rate limited\n", out)
	require.Equal(t, []string{"lookup", "broken"}, res.Called)

	_, res = s.run(`submit("the end"); fmt.Println("never")`)
	require.NotNil(t, res.Final)
	require.Equal(t, "submit", res.Final.Signal)
	require.Equal(t, "the end", res.Final.Answer)
}

// FINAL_VAR accepts the name of a constant of an earlier cell if it has a basic type or one declared in a cell, and
// gives the same text as FINAL with the constant.
func TestAConstantIsAnAnswer(t *testing.T) {
	for _, declared := range []string{
		"const k = 42", "const k = -1 << 40", "const k uint64 = 1<<64 - 1", "const k = 2.50", "const k = 1e20",
		"const k float32 = 0.1", "const k = 'x'",
		"const k byte = 7", `const k = "a\nb"`, "const k = true", "type kind string\nconst k kind = \"x\"",
		"const (\n\tj = iota\n\tk\n)", "const k = 3.0",
	} {
		s := newSession(t, builtins.Standard(answer.Response), says(""), "")
		_, res := s.run(declared)
		require.Nil(t, res.Error, declared)
		_, cell := s.run("FINAL(k)")
		_, named := s.run(`FINAL_VAR("k")`)
		require.NotNil(t, cell.Final, declared)
		require.NotNil(t, named.Final, "%s: %v", declared, named.Error)
		require.Equal(t, cell.Final.Answer, named.Final.Answer, declared)
	}
	s := newSession(t, builtins.Standard(answer.Response), says(""), "")
	_, res := s.run("const k = time.Second\ntype f func()\nfunc g() {}")
	require.Nil(t, res.Error)
	for _, name := range []string{"k", "f", "g", "fmt"} {
		_, res = s.run(`FINAL_VAR("` + name + `")`)
		require.NotNil(t, res.Error, name)
		require.Contains(t, res.Error.Message, "there is no variable")
	}
}

func TestSignalsInANotebook(t *testing.T) {
	finals := map[string]string{
		`FINAL(map[string]any{"answer": 42})`:                                                     "42",
		`func f() { defer func() { recover() }(); FINAL("kept") }; f()`:                           "kept",
		`total := 7; FINAL_VAR("total")`:                                                          "7",
		`total := 7; FINAL_VAR(total)`:                                                            "7",
		`answer["content"] = []string{"a", "b"}; answer["ready"] = true`:                          `["a", "b"]`,
		`finish_response("bye")`:                                                                  "bye",
		`finish_response("  bye\n")`:                                                              "bye",
		`finish_response()`:                                                                       "",
		`finish_response("")`:                                                                     "",
		`answer["content"] = 42; FINAL(answer)`:                                                   "42",
		`answer["content"] = "so far"; FINAL_VAR("answer")`:                                       "so far",
		`answer["content"] = 42; a := answer; FINAL(a)`:                                           "42",
		`FINAL(map[string]any{"content": "mine", "ready": false})`:                                "{\n  \"content\": \"mine\",\n  \"ready\": false\n}",
		`answer["content"] = "x"; answer["ready"] = "yes"`:                                        "x",
		`type hit struct { Doc string; line int; N int }; FINAL([]hit{{"a", 1, 2}, {"b", 3, 4}})`: "[\n  {\"Doc\": \"a\", \"N\": 2},\n  {\"Doc\": \"b\", \"N\": 4}\n]",
		`FINAL([]string{"a\nb", "c"})`:                                                            `["a\nb", "c"]`,
		`FINAL([]int{})`:                                                                          "[]",
		`FINAL(struct{ A any; *strings.Builder }{A: 1})`:                                          "{\n  \"A\": 1\n}",
		`type p struct { N int }; func (p) String() string { panic("no") }; FINAL(p{7})`:          "{\n  \"N\": 7\n}",
		`FINAL(time.Date(2024, 11, 21, 10, 30, 0, 0, time.UTC))`:                                  "2024-11-21T10:30:00Z",
		`at := time.Date(2024, 11, 21, 10, 30, 0, 500, time.FixedZone("", 3600)); FINAL(&at)`:     "2024-11-21T10:30:00.0000005+01:00",
		`FINAL([]byte("Grüße\n"))`:                                                                "Grüße\n",
		`FINAL([]byte{0xff, 0, 'a'})`:                                                             "ff0061",
		`type raw []byte; FINAL(raw("as text"))`:                                                  "as text",
		`FINAL(struct{ B []byte }{[]byte("x")})`:                                                  "{\n  \"B\": \"x\"\n}",
		`FINAL(json.RawMessage("{}"))`:                                                            "{}",
		`FINAL(0)`:                                                                                "0",
		`FINAL(false)`:                                                                            "false",
	}
	for source, want := range finals {
		s := newSession(t, builtins.Standard(answer.Response), says(""), "")
		_, res := s.run(source)
		require.Nil(t, res.Error, "%s: %v", source, res.Error)
		require.NotNil(t, res.Final, source)
		require.Equal(t, want, res.Final.Answer, source)
	}
	s := newSession(t, builtins.Standard(answer.Response), says(""), "")
	for _, call := range []string{`FINAL(answer)`, `FINAL_VAR("answer")`} {
		_, res := s.run(call)
		require.Nil(t, res.Final, call)
		require.NotNil(t, res.Error, call)
		require.Contains(t, res.Error.Message, "answer is an empty variable here")
	}
	_, res := s.run(`answer["ready"] = true`)
	require.Nil(t, res.Final)
	require.NotNil(t, res.Error)
	require.Contains(t, res.Error.Message, `answer["content"] is empty`)
	_, res = s.run(`x := answer["ready"]`)
	require.Nil(t, res.Error, "it is told once")
	_, res = s.run(`answer["content"] = "one"; answer["ready"] = true`)
	require.NotNil(t, res.Final)
	_, res = s.run(`answer["content"] = "two"`)
	require.Nil(t, res.Final, "an answer is given once")
	_, res = s.run(`answer["ready"] = true`)
	require.NotNil(t, res.Final)
	require.Equal(t, "two", res.Final.Answer)
	for _, nothing := range []string{
		`FINAL("")`, `FINAL(" \n")`, `FINAL(nil)`, `FINAL(strings.ToUpper)`, `FINAL(make(chan int))`,
		`FINAL(time.After(time.Hour))`, `type lines chan string; FINAL(make(lines))`,
		`var c any = make(chan int); FINAL(c)`,
		`ch := make(chan int); FINAL_VAR("ch")`, `var f any = strings.ToUpper; FINAL(f)`, `var e error; FINAL(e)`,
		`answer["content"] = ""; FINAL(answer)`, `empty := ""; FINAL_VAR("empty")`,
		`answer["content"] = nil; FINAL_VAR("answer")`, `var p *int; FINAL(p)`,
	} {
		_, res = s.run(nothing)
		require.Nil(t, res.Final, nothing)
		require.NotNil(t, res.Error, nothing)
		require.Contains(t, res.Error.Message, "so the run goes on", nothing)
	}
	_, res = s.run(`finish_task("done"); x := 1`)
	require.Nil(t, res.Final)
	require.Contains(t, strings.Join(res.Notes, "\n"), "finish_task does not end this run")

	s = newSession(t, builtins.Standard(answer.Task), says(""), "")
	_, res = s.run(`type report struct { Summary string; Status string }; finish_task(report{"half of it", "partial"})`)
	require.Nil(t, res.Error, "%v", res.Error)
	require.Equal(t, "half of it", res.Final.Answer)
	require.Equal(t, answer.Partial, res.Final.Status)
}
