package thought_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/thought"
)

// said removes the elements that count from a text. open is the offset of the first unclosed element.
func said(text string, counts func(thought.Element) bool) (rest string, open int) {
	spans, open := thought.Elements(text, counts)
	from := 0
	for _, s := range spans {
		rest += text[from:s.Start]
		from = s.End
	}
	return rest + text[from:], open
}

func all(thought.Element) bool { return true }

// Tags in code, fenced in any way, are code; all others open or close thoughts.
func TestElements(t *testing.T) {
	for text, want := range map[string]string{
		"a<think>b</think>c<think>d</think>e":        "ace",
		"a <think>b":                                 "a ",
		"a\n</think>b":                               "b",
		"a</think>":                                  "",
		"a</think> \r\nb":                            " \r\nb",
		"a</think>b":                                 "a</think>b",
		"<think>a</think>b\n</think>c":               "b\n</think>c",
		"`<think>`a":                                 "`<think>`a",
		"`a` <think>b</think>c":                      "`a` c",
		"`\n<think>b</think>c":                       "`\nc",
		"```\n<think>\n```\n<think>a</think>b":       "```\n<think>\n```\nb",
		"> ```\n> <think>\n> ```\n<think>a</think>b": "> ```\n> <think>\n> ```\nb",
		"~~~\n```\n<think>a</think>\n~~~\n<think>b</think>c":  "~~~\n```\n<think>a</think>\n~~~\nc",
		"~~~ `a`\n<think>a</think>\n":                         "~~~ `a`\n<think>a</think>\n",
		"````\n```\n<think>a</think>\n````\n<think>b</think>": "````\n```\n<think>a</think>\n````\n",
		"```\n````\n<think>a</think>b":                        "```\n````\nb",
		"```\n``` go\n<think>a</think>":                       "```\n``` go\n<think>a</think>",
		"``` a`b\n<think>a</think>c":                          "``` a`b\nc",
		"<think>a<think>b</think>c</think>d":                  "d",
		"<thinking>a</think>b<think>c</think>d":               "bd",
		"<think>a<analysis>b</analysis>c</think>d":            "d",
		"nothing": "nothing",
	} {
		got, open := said(text, all)
		require.Equal(t, want, got, text)
		require.Equal(t, len(text), open, text)
	}
}

// Elements that do not count are part of the answer, and the first unclosed one is reported.
func TestElementsThatDoNotCount(t *testing.T) {
	text := "a <think>b\n<thinking>c"
	got, open := said(text, func(e thought.Element) bool { return e.Line })
	require.Equal(t, "a <think>b\n", got)
	require.Equal(t, 2, open)
	got, open = said(text, func(e thought.Element) bool { return e.Closed })
	require.Equal(t, text, got)
	require.Equal(t, 2, open)
	var heads, lines []bool
	_, _ = said("\n<think>a</think> <think>b</think>c\n<think>d</think>", func(e thought.Element) bool {
		heads, lines = append(heads, e.Head), append(lines, e.Line)
		return true
	})
	require.Equal(t, []bool{true, true, false}, heads)
	require.Equal(t, []bool{true, true, true}, lines)
}

// Head recognises the opening of a thought at the start of a growing text. It returns the opening's length, the
// text that closes the thought, and whether more text is needed to decide.
func TestHead(t *testing.T) {
	for text, closing := range map[string]string{
		"<think>": "</think>", "<Thinking kind=x>": "</Thinking>", "<seed:think>": "</seed:think>",
		"[THINK]": "[/THINK]",
		"◁think▷": "◁/think▷", "<|begin_of_thought|>": "<|end_of_thought|>", "<|START_THINKING|>": "<|END_THINKING|>",
		"<|channel>thought": "<channel|>", "<|inner_prefix|>": "<|inner_suffix|>", "<|thought|>": "<|/thought|>",
		"<|channel|>": "final<|message|>", "<|start|>assistant<|channel|>": "final<|message|>",
	} {
		for _, more := range []string{"", "a", closing} {
			length, got, maybe := thought.Head(text + more)
			require.Equal(t, len(text), length, text)
			require.Equal(t, closing, got, text)
			require.False(t, maybe)
		}
		if !strings.HasSuffix(text, "thought") { // the starts of this opening are openings, too
			for n := range len(text) {
				length, _, maybe := thought.Head(text[:n])
				require.Zero(t, length, text[:n])
				require.True(t, maybe || strings.Contains(text[:n], " "), text[:n])
			}
		}
	}
	for _, text := range []string{
		"hello", "<b>bold", "<s struck", "</think>", "[x] done", "◀ back",
		"<" + strings.Repeat("a", 50), "<|im_start|>user",
	} {
		length, _, maybe := thought.Head(text)
		require.Zero(t, length, text)
		require.False(t, maybe, text)
	}
}
