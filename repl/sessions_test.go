package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/celltype"
)

// Scripts of several cells, with the expected results. In testdata/sessions/*.txt a line "-- name --" begins a
// script and a line "%" the next cell. Lines that begin with # are expectations:
//
//	#> a line that is printed
//	#= a line of the shown value
//	#! a part of the error
//	#~ a part of a note
//	#F the answer
//
// Nothing else may happen. A script runs in yaegi, and in the exact engine if yaegi refuses one of its cells, or
// one panics.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(t, err)
	scripts := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, script := range strings.Split("\n"+string(data), "\n-- ")[1:] {
			name, body, ok := strings.Cut(script, " --\n")
			require.True(t, ok, "in %s: %.40q", file, script)
			scripts++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) { runScript(t, body) })
		}
	}
	require.GreaterOrEqual(t, scripts, 80)
}

const scriptContext = "alpha one\nbeta two\ngamma three\n"

func runScript(t *testing.T, body string) {
	if !runScriptIn(t, body, Yaegi) {
		require.True(t, runScriptIn(t, body, Exact))
	}
}

// runScriptIn runs a script in an engine. It returns false if yaegi refuses a cell that should run, or if a cell
// panics there.
func runScriptIn(t *testing.T, body string, engine Engine) bool {
	s := newSession(t, Config{
		Engine: engine, Context: scriptContext, Docs: []Doc{{Name: "a.txt", Text: "alpha one\n"}},
		Builtins: scriptBuiltins(),
	})
	for _, cell := range strings.Split(body, "\n%\n") {
		var source, printed, value, final []string
		var failed, noted []string
		for line := range strings.Lines(cell) {
			line = strings.TrimSuffix(line, "\n")
			kind, rest := "", ""
			if len(line) > 1 && line[0] == '#' {
				kind, rest = line[:2], strings.TrimPrefix(line[2:], " ")
			}
			switch kind {
			case "#>":
				printed = append(printed, rest)
			case "#=":
				value = append(value, rest)
			case "#!":
				failed = append(failed, rest)
			case "#~":
				noted = append(noted, rest)
			case "#F":
				final = append(final, rest)
			default:
				source = append(source, line)
			}
		}
		text := strings.Join(source, "\n")
		res, out := s.run(text)
		where := "in cell:\n" + text
		message := ""
		if res.Error != nil {
			message = res.Error.Message
		}
		if res.Inexact {
			return false
		}
		says := func(part string) bool { return strings.Contains(message, part) }
		if engine == Yaegi && res.Error != nil && res.Error.Kind == cellerror.Refused &&
			(len(failed) == 0 || !slices.ContainsFunc(failed, says)) {
			return false
		}
		if len(failed) == 0 {
			require.Empty(t, message, where)
		}
		require.Equal(t, len(failed) > 0, res.Error != nil, where)
		for _, part := range failed {
			require.Contains(t, message, part, where)
		}
		require.Equal(t, strings.Join(printed, "\n"), strings.TrimSuffix(out, "\n"), where)
		require.Equal(t, strings.Join(value, "\n"), res.Value, where)
		notes := strings.Join(res.Notes, "\n")
		for _, part := range noted {
			require.Contains(t, notes, part, where)
		}
		if len(noted) == 0 {
			require.Empty(t, notes, where)
		}
		answer := ""
		if res.Final != nil {
			answer = res.Final.Answer
		}
		require.Equal(t, strings.Join(final, "\n"), answer, where)
	}
	return true
}

// scriptBuiltins returns enough builtins to see how the notebook treats them.
func scriptBuiltins() []Builtin {
	return []Builtin{
		{Name: "FINAL", Signal: true, Fn: func(site *Site, value any) {
			site.Final(answer.FinalOutput{
				Type: answer.Direct, Answer: site.Format(value, site.Types[0]), Signal: "FINAL",
			})
		}},
		{Name: "FINAL_VAR", Signal: true, ByName: true, Fn: func(site *Site, name string) {
			value, typ, ok := site.Lookup(name)
			if !ok {
				panic(answer.NoVariable("FINAL_VAR", name, site.Names()))
			}
			site.Final(answer.FinalOutput{
				Type: answer.Variable, Answer: site.Format(value, typ), Var: name, Signal: "FINAL_VAR",
			})
		}},
		{Name: "llm_query", Fn: func(_ *Site, prompt string, opts ...scriptOption) string { return "re: " + prompt }},
		{Name: "lines", Fn: func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }},
		{Name: "Loud", Fn: func() scriptOption { return scriptOption{Loud: true} }},
		{Name: "typeOf", Fn: func(site *Site, v any) string { return celltype.TypeName(site.Types[0]) }},
		{Name: "helper", Source: "func helper(s string) string { return llm_query(\"help \" + s) }"},
		{Name: "answer", Source: "var answer = map[string]any{\"content\": \"\", \"ready\": false}"},
	}
}

type scriptOption struct{ Loud bool }

// Text is a method that cells may call.
func (o scriptOption) Text() string {
	if o.Loud {
		return "LOUD"
	}
	return "quiet"
}
