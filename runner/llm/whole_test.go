package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// A message that comes whole after, or next to, its pieces is not said twice.
func TestAMessageNextToItsPieces(t *testing.T) {
	piece := func(text, thoughts string) string {
		return `{"choices":[{"delta":{"content":"` + text + `","reasoning_content":"` + thoughts + `"}}]}`
	}
	whole := func(text, thoughts string) string {
		return `{"object":"chat.completion","choices":[{"message":{"content":"` + text + `","reasoning_content":"` + thoughts +
			`"},"finish_reason":"stop"}]}`
	}
	both := func(delta, message string) string {
		return `{"choices":[{"delta":{"content":"` + delta + `"},"message":{"content":"` + message + `"}}]}`
	}
	other := strings.Replace(both("", "another's"), `{"delta"`, `{"index":1,"delta"`, 1)
	for _, c := range []struct {
		events        []string
		said, thought string
	}{
		{[]string{piece("some ", "t"), piece("words", ""), whole("some words", "t")}, "some words", "t"},
		{[]string{piece("some words", "t"), whole("", "")}, "some words", "t"},
		{[]string{piece("some words", "t"), whole(" some words \\n", "")}, "some words", "t"},
		{[]string{piece("some ", "t"), whole("some words", "tu")}, "some words", "tu"},
		{[]string{piece("some ", "t"), whole("other words", "x")}, "other words", "t"},
		{[]string{piece("some ", "t"), whole("other words", "tu")}, "other words", "tu"},
		{[]string{piece("some ", "t"), whole("other words", "")}, "other words", "t"},
		{[]string{piece("some ", "t"), whole("<think>tu</think>other words", "")}, "other words", "tu"},
		{[]string{piece("<think>t</think>some ", ""), whole("other words", "tu")}, "other words", "tu"},
		{[]string{piece("<think>t</think>some ", ""), whole("other words", "")}, "other words", "t"},
		{[]string{piece("<think>t</think>some words", ""), whole("some words", "t")}, "some words", "t"},
		{[]string{piece("<think>t</think>words", ""), whole("<think>t</think>words", "t")}, "words", "t"},
		{[]string{whole("some words", "t"), whole("some words", "t")}, "some words", "t"},
		{[]string{whole("some words", "t")}, "some words", "t"},
		{[]string{both("some ", "some "), both("words", "some words"), stopped}, "some words", ""},
		{[]string{both("", "some "), both("", "words"), stopped}, "some words", ""},
		{[]string{both("", "some "), both("", "some words"), both("", ""), other, stopped}, "some words", ""},
	} {
		resp, g := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: events(c.events...)})), ask("hi"))
		require.Equal(t, []string{c.said, c.thought}, []string{resp.Content, resp.Reasoning}, c.events)
		require.NotEmpty(t, g.deltas)
	}
}
