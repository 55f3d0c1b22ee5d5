package termination

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/reply"
)

const (
	counting16 = "```go\nfmt.Println(len(context))\n```\n"
	final99    = "\n```go\nFINAL(99)\n```\n"
)

// Code after an invented output does not run, and signals next to it do not count.
func TestNothingRestsOnAnInventedOutput(t *testing.T) {
	for name, text := range map[string]string{
		"an observation":             counting16 + "[cell 1] ok\n99\n",
		"without a cell":             "[cell 1] ok\n99\n",
		"of an error":                counting16 + "[cell 1] Panic\n99\n",
		"in bold":                    counting16 + "**[cell 1] ok**\n99\n",
		"in a quotation":             counting16 + "> [cell 1] ok\n> 99\n",
		"as a message":               counting16 + "user: [cell 1] ok\n99\n",
		"as another message":         counting16 + "**User:** [cell 1] ok\n99\n",
		"a message's head":           counting16 + "--- user ---\n99\n",
		"a template's head":          counting16 + "<|im_start|>user\n99\n",
		"the budgets":                counting16 + "99\n[left] turns 29 of 30\n",
		"the budgets alone":          "[left] turns 29 of 30\n",
		"a block of output":          counting16 + "```output\n99\n```\n",
		"output, with words between": counting16 + "Let us see what it does.\n\n```output\n99\n```\n",
		"a block of text":            counting16 + "```text\n99\n```\n",
		"text that is presented":     counting16 + "This prints:\n\n```text\n99\n```\n",
		"a block without a tag":      counting16 + "Output:\n```\n99\n```\n",
		"an observation in a block":  "```text\n[cell 1] ok\n99\n```\n",
		"Output and a value":         counting16 + "Output: 99\n",
		"Output and a line":          counting16 + "Output:\n99\n",
		"Output in bold":             counting16 + "**Output:** `99`\n",
		"Observation":                counting16 + "Observation: 99\n",
		"Observation and a line":     counting16 + "Observation:\n\n99\n",
		"Output with a name":         counting16 + "Output: len = 99\n",
		"Cell output":                counting16 + "Cell output: \"99\"\n",
		"Execution result":           counting16 + "Execution result: [99]\n",
		"as Jupyter has it":          counting16 + "Out[1]: 99\n",
		"as other notebooks have it": counting16 + "<output>\n99\n</output>\n",
		"the mark in other letters":  counting16 + "[Cell 1] OK\n99\n",
		"the mark in capitals":       counting16 + "**[CELL 1]**: OK\n99\n",
		"an error in other letters":  counting16 + "[Cell 1] TypeError\n99\n",
		"a heading":                  counting16 + "### Observation\n99\n",
		"another heading":            counting16 + "# Output\n\n99\n",
		"a heading in bold":          counting16 + "**Output**\n99\n",
		"a label without a colon":    counting16 + "Cell output\n\"99\"\n",
		"REPL output":                counting16 + "REPL output:\n99\n",
		"The output is, and a line":  counting16 + "The output is:\n99\n",
		"The output is":              counting16 + "The output is 99.\n",
		"The output was, in bold":    counting16 + "The output was: **99**\n",
		"Result":                     counting16 + "Result: 99\n",
		"Result and a line":          counting16 + "**Result:**\n\n99\n",
		"It prints":                  counting16 + "It prints 99.\n",
		"This printed a string":      counting16 + "This printed \"99\"\n",
		"The cell returns":           counting16 + "The cell returns: `99`.\n",
		"as an interpreter has it":   counting16 + ">>> 99\n",
		"as a session has it":        counting16 + ">>> len(context)\n99\n",
		"result":                     counting16 + "<result>99</result>\n",
		"result on lines":            counting16 + "<result>\n99\n</result>\n",
		"behind words and a new cell": "I count.\n" + counting16 +
			"\nThe result is in.\n\n[cell 1] ok\n99\n\nSo it is 99.\n",
	} {
		t.Run(name, func(t *testing.T) {
			all := 0
			if text[0] == '`' && text[3] == 'g' || text[0] == 'I' {
				all = 1
			}
			r := reply.Parse(text+final99, reply.DefaultNames(), false)
			require.Len(t, r.Cells, all)
			require.Positive(t, r.Imitates)
			last := r.Skipped[len(r.Skipped)-1]
			require.True(t, last.Code)
			require.Contains(t, last.Reason, "send the cell again once you have seen the real one")

			for _, mode := range []Mode{Response, Task} {
				_, v := play(t, DefaultPolicy(mode), turn(text+"\nFINAL(99)", "16"))
				require.Equal(t, Continue, v.Action, "%+v", v.End)
				require.Len(t, v.Ignored, 1)
			}
		})
	}
}

// Plans and quotations are not imitations: all cells run, and signals count.
func TestWhatIsNoInventedOutput(t *testing.T) {
	for name, text := range map[string]string{
		"a plan before any cell":  "Output: a table with one row for each year.\n\n" + counting16,
		"a value before any cell": "Output: 99\n\n" + counting16,
		"a plan behind a cell":    counting16 + "Output: a table with one row for each year.\n",
		"a list behind a cell":    counting16 + "Output:\n- a table\n- a chart\n",
		"a format behind a cell":  counting16 + "Output: JSON\n",
		"an observation in words": counting16 +
			"Observation: the file has a header, which I leave out of the count.\n",
		"a block that quotes": "The context says:\n```text\n2024-11-21 ERROR disk full\n```\n" + counting16,
		"a block that quotes, behind": counting16 +
			"The line that I mean is this one in the context:\n\n```text\n2024-11-21 ERROR disk full\n```\n",
		"a block that shows a format":   counting16 + "The answer will look like this:\n\n```json\n{\"n\": 1}\n```\n",
		"a block of data":               counting16 + "```csv\na,b\n```\n",
		"a value before any cell, said": "It prints 99.\n\n" + counting16,
		"what a cell is for":            "[Cell 1] Count the bytes.\n\n" + counting16,
		"what a cell prints": counting16 +
			"It prints the total, and the next one prints 3 lines of each file.\n",
		"what a cell returns":            counting16 + "It returns 3 fields of each row.\n",
		"a heading over words":           counting16 + "## Output\n\nA table with one row for each year.\n",
		"a result in words":              counting16 + "Result: the number of bytes.\n",
		"a heading over the answer":      counting16 + "## Result\n",
		"an answer that is presented":    counting16 + "The result is 99.\n",
		"a quotation of a quotation":     counting16 + ">> a\n>> b\n",
		"a cell that is named":           counting16 + "Cell 1 is ok so far; [cell 1] counts the bytes.\n",
		"a cell in brackets":             "[cell phone] records are what I count.\n\n" + counting16,
		"a key in brackets":              "[left] and [right] are the two halves.\n\n" + counting16,
		"a rule between parts":           "First part.\n\n---\n\n" + counting16,
		"a user who is spoken of":        "User: the one who asks for the count.\n\n" + counting16,
		"output inside a sentence":       counting16 + "I print the output: 99 would be too many.\n",
		"output in a comment of a cell":  "```go\n// Output: 99\n// [cell 1] ok\nfmt.Println(len(context))\n```\n",
		"output in a cell's raw string":  "```go\nfmt.Println(`\n[cell 1] ok\n[left] turns 29 of 30\n`)\n```\n",
		"a mark inside of thinking":      "<think>\n[cell 1] ok\n99\n</think>\n" + counting16,
		"a mark inside of an HTML block": "<!--\n[cell 1] ok\n-->\n" + counting16,
	} {
		t.Run(name, func(t *testing.T) {
			r := reply.Parse(text+"\n"+final99, reply.DefaultNames(), false)
			require.Zero(t, r.Imitates)
			require.Len(t, r.Cells, 2)

			tn := turn(text+"\n\nFINAL(total)", "99")
			tn.Names, tn.Vars = []string{"total"}, map[string]string{"total": "99"}
			_, v := play(t, DefaultPolicy(Response), tn)
			require.Equal(t, Stop, v.Action, "%+v", v.Ignored)
		})
	}
}

// A name in the run's code does not count as a word, even if the code failed or never ran.
func TestNamesInCodeAreNoAnswers(t *testing.T) {
	p := DefaultPolicy(Response)
	p.ProseReplies = 0
	for name, c := range map[string]struct{ text, word string }{
		"a variable that was not set": {cell("Report := undefinedthing"), "Report"},
		"Total":                       {cell("Total := 1 +"), "Total"},
		"in capitals":                 {cell("TOTAL, err := f()"), "TOTAL"},
		"with a digit":                {cell("var Report2 = x"), "Report2"},
		"a function":                  {cell("func Report() string { return undefinedthing }"), "Report"},
		"a type":                      {cell("type T struct{ A undefinedthing }"), "T"},
		"a constant":                  {cell("const Max = undefinedthing"), "Max"},
		"a field":                     {cell("fmt.Println(doc.Title)"), "Title"},
		"a word in lower case":        {cell("unknown := undefinedthing"), "unknown"},
		"of Python":                   {"```python\nReport = f()\n```", "Report"},
		"outside of a block":          {"Report := f()", "Report"},
		"behind a fence in a line":    {"Here: ```go\nReport := f()\n```", "Report"},
		"behind an imitated output":   {"[cell 1] ok\n" + cell("Report := f()"), "Report"},
		"in other letters":            {cell("Größe := undefinedthing"), "Größe"},
	} {
		t.Run(name, func(t *testing.T) {
			failed := turn(c.text, "CompileError")
			for i := range failed.Cells {
				failed.Cells[i].Error = "CompileError"
			}
			other := turn("I look at it again, since that went wrong.", "")
			for _, call := range []string{"FINAL(" + c.word + ")", "FINAL(" + c.word + ", " + c.word + ")"} {
				_, v := play(t, p, failed, other, turn(call, ""))
				require.Equal(t, Continue, v.Action, "%+v", v.End)
				require.Len(t, v.Ignored, 1)
				_, v = play(t, p, other, turn(call, ""))
				require.Equal(t, Stop, v.Action, "a word that no code uses: %+v", v.Ignored)
			}
		})
	}
	quoted := failing("CompileError")
	_, v := play(t, DefaultPolicy(Response), turn(cell(`fmt.Println("Paris") // Lyon`), "Paris"), quoted,
		turn("FINAL(Paris)", ""))
	require.Equal(t, "Paris", v.End.Answer, "a text in code is no name")
	_, v = play(t, DefaultPolicy(Response), turn(cell("ok := true"), "true"), turn("FINAL(true)", ""))
	require.Equal(t, "true", v.End.Answer)
	_, v = play(t, DefaultPolicy(Response), turn(cell("Report := f()"), "x"), turn(`FINAL("Report")`, ""))
	require.Equal(t, "Report", v.End.Answer, "a text in quotes is one")
}

func TestTheNamesThatAreKeptAreBounded(t *testing.T) {
	s, err := DefaultPolicy(Response).Begin("q")
	require.NoError(t, err)
	for i := range 400 {
		s, _ = DefaultPolicy(Response).Next(s, turn(cell(string(rune('A'+i%26))+string(rune('A'+i/26))+" := 1"), "x"))
	}
	require.Len(t, s.Identifiers, 256)
}

// A call of a tool is not a reply to a person, but code in another language may be what the person asked for.
func TestACallOfAToolIsNoReply(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Interactive = true
	for _, text := range []string{
		"<tool_call>{\"name\": \"run\", \"arguments\": {\"code\": \"1\"}}</tool_call>",
		"<tool_call>\n{\"name\": \"run\"}\n</tool_call>",
		"I will look.\n\n<tool_call>\n{}\n</tool_call>",
		"<function_calls>\n<invoke name=\"run\">\n</invoke>\n</function_calls>",
		"<function=run>{}</function>", "[TOOL_CALLS] [{\"name\": \"run\"}]", "<|tool_call|>{}",
		"<tool_call>{}</tool_call>\n\nFINAL(41)",
	} {
		tn := turn(text, "")
		_, v := play(t, p, tn)
		require.Equal(t, Continue, v.Action, "%s: %+v", text, v.End)
		require.Len(t, tn.Reply.Skipped, 1, text)
		require.Contains(t, tn.Reply.Skipped[0].Reason, "write Go in a ```go cell")
	}
	for _, text := range []string{
		"```bash\nls -la\n```", "```python\nprint(1)\n```", "Models write `<tool_call>` when they call a tool.",
		"```xml\n<tool_call>{}</tool_call>\n```",
		"It is what <tool_call> stands for in the file.",
	} {
		_, v := play(t, p, turn(text, ""))
		require.Equal(t, Stop, v.Action, text)
	}
}

func TestWhatComesLaterOrIsTakenBackIsNoAnswer(t *testing.T) {
	for _, text := range []string{
		"After that I would answer\nFINAL(41)", "Once the count is there\nFINAL(41)", "Then I could say\n\nFINAL(41)",
		"When all is read, I'd answer\nFINAL(41)",
		"FINAL(41)\nwait, that is wrong", "FINAL(41)\n\nWait, that's wrong. I count again.",
		"FINAL(41)\nNo, that is not it.", "FINAL(41)\n\nHold on", "FINAL(41)\nActually, let me check.",
		"FINAL(41)\nOops, I forgot the header.",
		"FINAL(41)\n\nThat is the count of lines. Hmm, the above is incorrect.", "FINAL(41)\nHmm.",
		"FINAL(41)\nScratch that.",
		"FINAL(41)\nPlease ignore that.", "FINAL(41)\n\nI made a mistake.", "FINAL(41)\nCorrection: it is 42.",
	} {
		for _, interactive := range []bool{false, true} {
			p := DefaultPolicy(Response)
			p.Interactive = interactive
			_, v := play(t, p, turn(text, ""))
			require.Equal(t, Continue, v.Action, "%s: %+v", text, v.End)
			require.Len(t, v.Ignored, 1, text)
		}
	}
	for _, text := range []string{
		"FINAL(41)\n\nwait, that is wrong\n\nFINAL(42)", "After that I counted again.\nFINAL(42)",
		"The answer is\nFINAL(42)", "FINAL(42)\n\nNo errors were found.",
		"FINAL(42)\n\nThis is the number of lines that wait for a lock.", "Finally\nFINAL(42)",
		"FINAL(42)\n\nThat is right.", "I checked it after all, so\nFINAL(42)",
		"The result would be wrong without the header.\n\nFINAL(42)", "FINAL(42)\n\nActual errors: 42.",
	} {
		_, v := play(t, DefaultPolicy(Response), turn(text, ""))
		require.Equal(t, Stop, v.Action, "%s: %+v", text, v.Ignored)
		require.Equal(t, "42", v.End.Answer, text)
	}
}
