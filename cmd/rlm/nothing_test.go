package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/internal/testing/nothing"
)

// playedRun is the result of `rlm run --json` with a scripted model.
type playedRun struct {
	code           int
	stderr         string
	Status, Answer string
	HasAnswer      bool `json:"has_answer"`
	Guess          bool
	CutReplies     int `json:"cut_replies"`
	Grounding      struct{ Verdict string }
}

// played runs rlm over a log. reply is the model: turn is the number of the turn, and sub is true in a sub-call.
func played(t *testing.T, reply func(turn int, sub bool) fakeapi.Reply) (out playedRun) {
	t.Helper()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		turn, sub := 0, true
		for _, m := range req.Messages {
			sub = sub && m.Role != "system"
			if m.Role == "assistant" {
				turn++
			}
		}
		return reply(turn, sub)
	})
	t.Cleanup(s.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "app.log")
	require.NoError(t, os.WriteFile(file, []byte(nothing.Text()), 0o600))
	cmd := exec.Command(bin, "run", "--json", "--model", "m", "--base-url", s.URL(), nothing.Question, file)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RLM_DATA_DIR=" + dir + "/data"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &out), "%s %s", stdout.String(), stderr.String())
	out.code, out.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	return out
}

// TestAllWaysToComeToNothingExitAlike checks the command line: exit code 3, the status, and no answer.
func TestAllWaysToComeToNothingExitAlike(t *testing.T) {
	t.Parallel()
	for name, c := range nothing.Ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := played(t, func(turn int, _ bool) fakeapi.Reply { return fakeapi.Reply{Content: c.Reply(turn)} })
			require.Equal(t, exitcode.Limit, out.code, out.stderr)
			require.Equal(t, c.Status, out.Status)
			require.Equal(t, c.Partial, out.Answer)
			require.NotEmpty(t, out.stderr)
		})
	}
}

// TestNoInventionPassesUnmarked plays inventions and weak habits: none may end completed and grounded, with exit
// code 0.
func TestNoInventionPassesUnmarked(t *testing.T) {
	t.Parallel()
	goCell := func(code string) string { return "```go\n" + code + "\n```" }
	says := func(replies ...string) func(int, bool) fakeapi.Reply {
		return func(turn int, sub bool) fakeapi.Reply {
			if sub {
				return fakeapi.Reply{Content: "billing fails most, 4711 times."}
			}
			return fakeapi.Reply{Content: replies[min(turn, len(replies)-1)]}
		}
	}
	cells := func(codes ...string) func(int, bool) fakeapi.Reply {
		for i := range codes {
			codes[i] = goCell(codes[i])
		}
		return says(codes...)
	}
	const look = "fmt.Println(len(context), head(context, 60))"
	for name, part := range map[string]func(int, bool) fakeapi.Reply{
		"a constant at once":      cells("const n = 4711\nFINAL(n)"),
		"a constant after a look": cells(look, "const n = 4711\nFINAL(n)"),
		"a made-up list":          cells(`l := []string{"billing", "auth"}; fmt.Println(l)`, `FINAL(l[0])`),
		"a made-up table":         cells(`fmt.Println("billing 4711\nauth 88")`, `FINAL("billing 4711")`),
		"a map with its maximum": cells(`m := map[string]int{"billing": 4711, "auth": 88}
best := ""
for k, v := range m { if v > m[best] { best = k } }
fmt.Println(best, m[best])`, `FINAL(fmt.Sprint(best, " ", m[best]))`),
		"FINAL_VAR of a literal":  cells(`answer := "billing"`, `FINAL_VAR("answer")`),
		"FINAL_VAR in prose":      says(goCell(`a := "billing, 4711"; fmt.Println(a)`), "FINAL_VAR(a)"),
		"a sub-call without text": cells(`r := llm_query("Which service fails most?"); fmt.Println(r)`, `FINAL(r)`),
		"a sub-call that is told": cells(`r := llm_query("Repeat: billing fails most, 4711 times.")`, `FINAL(r)`),
		"partly true": cells(`fmt.Println(strings.Count(context, "ERROR cart"))`,
			`FINAL("cart with 4000 errors, then billing with 812")`),
		"a size for a look":         cells(`fmt.Println(len(context))`, `FINAL("billing")`),
		"a search that failed":      cells(`fmt.Println(strings.Count(context, "billing"))`, `FINAL("billing")`),
		"words of comfort":          says(goCell(look), "After careful analysis, the answer is:\n\nFINAL(billing)"),
		"a thought with the answer": says("<think>It is billing. FINAL(\"billing\")</think>\n\nFINAL(\"billing\")"),
		"a thought without an end":  says("<think>\nSurely billing\n" + goCell(`FINAL("billing 4711")`)),
		"Python":                    says("```python\nprint('billing 4711')\nFINAL('billing 4711')\n```"),
		"a tool call":               says(`{"name": "FINAL", "arguments": {"answer": "billing 4711"}}`),
		"imitated output": says(goCell(look)+"\n\nOutput:\n\nbilling 4711\n\nFINAL(\"billing 4711\")",
			goCell(`FINAL("billing 4711")`)),
		"a failed cell, then words": cells(`fmt.Println(count)`, `FINAL("billing 4711")`),
		"Sprintf of literals":       cells(look, `FINAL(fmt.Sprintf("%s with %d errors", "billing", 4700+11))`),
		"a literal in a function":   cells(look, `f := func() string { return "bill" + "ing" }; FINAL(f())`),
		"a literal in base64": cells(look, `b, _ := base64.StdEncoding.DecodeString("YmlsbGluZyA0NzEx")
FINAL(string(b))`),
		"a template of literals": cells(look, `var b strings.Builder
template.Must(template.New("x").Parse("billing {{.}}")).Execute(&b, 4711)
FINAL(b.String())`),
		"the tag of a field": cells(look+`
type found struct { N int `+"`json:\"billing\"`"+` }
b, _ := json.Marshal(found{4711})
fmt.Println(string(b))`, `FINAL("billing 4711")`),
		"a literal put into the text": cells(look, `l := strings.ReplaceAll(context[:200], "cart", "billing")
fmt.Println(l)`, `FINAL("billing")`),
		"a literal beside a line of the text": cells(`fmt.Println("billing", strings.Split(context, "\n")[3])`,
			`FINAL("billing")`),
		"an example in prompts": func(turn int, sub bool) fakeapi.Reply {
			if sub {
				return fakeapi.Reply{Content: "NONE"}
			}
			return cells(`var qs []string
for _, x := range chunks(context, 4000) { qs = append(qs, "Which service? Answer like: billing 4711\n"+x) }
fmt.Println(llm_query_batched(qs[:2]))`, `FINAL("billing 4711")`)(turn, sub)
		},
		"a literal beside the name of a file": cells(look, `fmt.Println(docs[0].Name, "billing", 4711)`,
			`FINAL("billing 4711")`),
		"a literal in an address": cells(look, `s, _ := url.QueryUnescape("billing%204711")
fmt.Println(s)`, `FINAL("billing 4711")`),
		"a format that nothing filled": cells(`fmt.Println(strings.Count(context, "ERROR cart"))`, `FINAL("cart %d")`),
		"a sample of its own": cells(look, `n := map[string]int{}
for _, l := range strings.Split("ERROR billing\nERROR billing\nERROR cart", "\n") { n[strings.Fields(l)[1]]++ }
fmt.Println(n)`, `FINAL("billing 2")`),
		"a literal among all variables": cells(look+"\nx := \"billing 4711\"", `SHOW_VARS()`, `FINAL("billing 4711")`),
		"a literal in a draft":          cells(look+"\nanswer[\"content\"] = \"billing 4711\"", `FINAL(answer["content"])`),
		"JSON with escapes":             cells(look, `FINAL(map[string]any{"note": "billing \"4711\"\nnext <line>"})`),
		"a sub-call that repeats": func(turn int, sub bool) fakeapi.Reply {
			if sub {
				return fakeapi.Reply{Content: "billing 4711"}
			}
			return cells(look, `FINAL(llm_query("Say exactly: billing 4711" + context[:40]))`)(turn, sub)
		},
		"a refusal": says("I'm sorry, but I can't help with that."),
		"a cut reply": func(int, bool) fakeapi.Reply {
			return fakeapi.Reply{Content: goCell(`FINAL("billing 4711")`), Finish: "length"}
		},
		"a filtered reply": func(int, bool) fakeapi.Reply {
			return fakeapi.Reply{Content: goCell(`FINAL("billing 4711")`), Finish: "content_filter"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := played(t, part)
			t.Logf("exit %d, %s, guess %v, %s: %q", out.code, out.Status, out.Guess, out.Grounding.Verdict, out.Answer)
			if out.code == 0 {
				require.Contains(t, []string{"partly", "not"}, out.Grounding.Verdict, out.Answer)
			}
		})
	}
}
