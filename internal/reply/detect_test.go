package reply

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// detectInText returns the first signal in a text that counts in a reply without cells. If none does, it returns
// the first one.
func detectInText(text string, names Names) Signal {
	all := Parse(text, names, false).Signals
	for _, d := range all {
		if d.Counts(false) {
			return d
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return Signal{}
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Signal // the Line is not compared
	}{
		{
			"string", `Based on my analysis, FINAL("42")`,
			Signal{Name: "FINAL", Content: "42", RawMatch: `FINAL("42")`, Place: EndsLine},
		},
		{
			"variable", `I have stored the answer. FINAL_VAR("result")`,
			Signal{Var: true, Name: "FINAL_VAR", Content: "result", RawMatch: `FINAL_VAR("result")`, Place: EndsLine},
		},
		{"variable without quotes", `FINAL_VAR(result)`, Signal{
			Var: true, Name: "FINAL_VAR", Content: "result", Bare: true, RawMatch: `FINAL_VAR(result)`, Place: Alone,
		}},
		{
			"variable in single quotes", `FINAL_VAR( 'result' )`,
			Signal{Var: true, Name: "FINAL_VAR", Content: "result", RawMatch: `FINAL_VAR( 'result' )`, Place: Alone},
		},
		{
			"words", `FINAL(The answer is 42)`,
			Signal{Name: "FINAL", Content: "The answer is 42", RawMatch: `FINAL(The answer is 42)`, Place: Alone},
		},
		{"triple quotes", "FINAL(\"\"\"Multi-line\nanswer\"\"\")", Signal{
			Name: "FINAL", Content: "Multi-line\nanswer",
			RawMatch: "FINAL(\"\"\"Multi-line\nanswer\"\"\")", Place: Alone,
		}},
		{
			"space", `FINAL ( answer is 4 )`,
			Signal{Name: "FINAL", Content: "answer is 4", RawMatch: `FINAL ( answer is 4 )`, Place: Alone},
		},
		{"number", `FINAL(42)`, Signal{Name: "FINAL", Content: "42", RawMatch: `FINAL(42)`, Place: Alone}},
		{"two", `FINAL(x, y)`, Signal{Name: "FINAL", Content: "x, y", RawMatch: `FINAL(x, y)`, Place: Alone}},
		{"bold", `**FINAL(42)**.`, Signal{Name: "FINAL", Content: "42", RawMatch: `FINAL(42)`, Place: Alone}},
		{"nested", `FINAL(The set (a, (b)) is it)`, Signal{
			Name: "FINAL", Content: "The set (a, (b)) is it", RawMatch: `FINAL(The set (a, (b)) is it)`, Place: Alone,
		}},
		{
			"apostrophe", `FINAL(It's 42)`,
			Signal{Name: "FINAL", Content: "It's 42", RawMatch: `FINAL(It's 42)`, Place: Alone},
		},
		{
			"apostrophe in quotes", `FINAL('It's 42')`,
			Signal{Name: "FINAL", Content: "It's 42", RawMatch: `FINAL('It's 42')`, Place: Alone},
		},
		{"escapes", `FINAL("He said \"hi\"\n(really)")`, Signal{
			Name: "FINAL", Content: "He said \"hi\"\n(really)",
			RawMatch: `FINAL("He said \"hi\"\n(really)")`, Place: Alone,
		}},
		{
			"parenthesis in string", `FINAL("a) b")`,
			Signal{Name: "FINAL", Content: "a) b", RawMatch: `FINAL("a) b")`, Place: Alone},
		},
		{
			"paragraphs", "FINAL(First.\n\nSecond.)",
			Signal{Name: "FINAL", Content: "First.\n\nSecond.", RawMatch: "FINAL(First.\n\nSecond.)", Place: Alone},
		},
		{"raw string", "FINAL(`a\\n`)", Signal{Name: "FINAL", Content: `a\n`, RawMatch: "FINAL(`a\\n`)", Place: Alone}},
		{"trailing comma", `FINAL("a",)`, Signal{Name: "FINAL", Content: "a", RawMatch: `FINAL("a",)`, Place: Alone}},
		{
			"json", `finish_task({"summary": "a ) b", "status": "done"})`,
			Signal{
				Name: "finish_task", Content: `{"summary": "a ) b", "status": "done"}`,
				RawMatch: `finish_task({"summary": "a ) b", "status": "done"})`, Place: Alone,
			},
		},
		{
			"after a mention", "I use FINAL(x) at the end.\n\nFINAL(42)",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: Alone},
		},
		{
			"after an unclosed one", "I will call FINAL( when done\n\nFINAL(42)",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: Alone},
		},
		{
			"presented", "The answer is: FINAL(Paris)",
			Signal{Name: "FINAL", Content: "Paris", Bare: true, RawMatch: "FINAL(Paris)", Place: EndsLine},
		},
		{"enumeration", "FINAL(Either a) red or b) blue)", Signal{
			Name: "FINAL", Content: "Either a) red or b) blue",
			RawMatch: "FINAL(Either a) red or b) blue)", Place: Alone,
		}},
		{
			"report", "FINAL(# Report\n\n1) first\n2) second (2)\n\nEnd.)",
			Signal{
				Name: "FINAL", Content: "# Report\n\n1) first\n2) second (2)\n\nEnd.",
				RawMatch: "FINAL(# Report\n\n1) first\n2) second (2)\n\nEnd.)", Place: Alone,
			},
		},
		{
			"colon on the line above", "The answer is:\n\nFINAL(42)",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: Alone},
		},
		{
			"presented by a sentence", "Here is the result with all documents considered:\n\nFINAL(42)",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: Alone},
		},
		{
			"presented on its line", "My answer using the data: FINAL(42)",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: EndsLine},
		},
		{
			"another script", "答案是 FINAL(42)。",
			Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: EndsLine},
		},
		{"heading", "## FINAL(42)", Signal{Name: "FINAL", Content: "42", RawMatch: "FINAL(42)", Place: Alone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := detectInText(c.text, DefaultNames())
			c.want.Line, c.want.Arguments = got.Line, got.Arguments
			require.Equal(t, c.want, got)
		})
	}
}

func TestSignalsThatDoNotCount(t *testing.T) {
	for _, c := range []struct {
		text  string
		place Position // where the signal is; empty: none is found
	}{
		{"Let me continue analyzing...", ""},
		{`I will call FINAL("x") when done`, Mentioned},
		{`Next I will call FINAL("x")`, Mentioned},
		{"use FINAL(answer)", Mentioned},
		{"To finish, use the FINAL(answer)", Mentioned},
		{"When done: FINAL(42)", Mentioned},
		{`The prompt says "FINAL(x)"`, Mentioned},
		{"> FINAL(42)", Mentioned},
		{"Plan:\n1. count\n2. FINAL(count)", Mentioned},
		{"FINAL(your answer)", Mentioned},
		{"Should I say FINAL(42)?", Mentioned},
		{"The result is FINAL(42), which fits.", InSentence},
		{"FINAL(version 2) is what I got", InSentence},
		{"FINAL(42) is it :)", InSentence},
		{"I will write:\n\nFINAL(42)", Mentioned},
		{"Call this when done:\n\nFINAL(42)", Mentioned},
		{"Use this format: FINAL(42)", Mentioned},
		{"For example: FINAL(42)", Mentioned},
		{"FINAL(\"\"\"Report\n\n```text\na\n```\n\"\"\")", InSentence},
		{"`FINAL(42)`", ""},
		{"`` a ` FINAL(42) ``", ""},
		{"```\nFINAL(42)\n```", ""},
		{"~~~python\nFINAL(42)\n~~~", ""},
		{"    FINAL(42)", ""},
		{"<!-- FINAL(42) -->", ""},
		{"text <!-- FINAL(42) --> text", ""},
		{"<pre>\nFINAL(42)\n</pre>", ""},
		{"\\` FINAL(42) ` is no code span", InSentence},
		{"<think>\nFINAL(42)\n</think>\nHm.", ""},
		{"FINALIZE(42) FINAL_VALUE(3) my_FINAL(2) x.FINAL(1)", ""},
		{"The FINAL answer", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := detectInText(c.text, DefaultNames())
			require.Equal(t, c.place != "", got.Name != "", "%+v", got)
			require.Equal(t, c.place, got.Place, "%+v", got)
			require.False(t, got.Counts(false))
		})
	}
}

func TestACallThatWasCutOff(t *testing.T) {
	for reply, cut := range map[string]bool{
		"So: FINAL(\"It is 4": true, "FINAL(It is 4": true, "FINAL(\"\"\"a\n\nb": true, "FINAL(1": false,
	} {
		r := Parse(reply, DefaultNames(), cut)
		require.Len(t, r.Signals, 1)
		require.Equal(t, cut, r.Signals[0].Cut)
		require.False(t, r.Signals[0].Counts(false))

	}
}

func TestOnlyTheFirstAndLastOfVeryManyCallsAreRead(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "FINAL(\"%d\")\n\n", i)
	}
	calls := Parse(b.String(), DefaultNames(), false).Signals
	require.Len(t, calls, maxCalls)
	require.Equal(t, "0", calls[0].Content)
	require.Equal(t, "999", calls[maxCalls-1].Content)
}

// A long string of escapes is read once, not once for each escape.
func TestEscapesAreReadOnce(t *testing.T) {
	for _, end := range []string{`")`, ``} {
		r := Parse(`FINAL("`+repeat(`\u00e9\q`, 4<<20)+end, DefaultNames(), false)
		require.Len(t, r.Signals, 1)
		require.Equal(t, end == "", r.Signals[0].Malformed != "")
	}
}
