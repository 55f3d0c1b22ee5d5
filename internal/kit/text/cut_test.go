package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestLine(t *testing.T) {
	require.Equal(t, "a b c", text.Line("  a\n\tb\r\n c ", 20))
	require.Equal(t, "abc…", text.Line("abcdef", 3))
	require.Equal(t, "ab…", text.Line("ab cdef", 3))
	require.Equal(t, "·[31mred", text.Line("\x1b[31mred", 20))
	require.Equal(t, "ä…", text.Line("äö", 3))
	require.Equal(t, "", text.Line("", 3))
	require.True(t, strings.HasSuffix(text.Line(strings.Repeat(" ", 1000)+"late", 10), text.Ellipsis))
}

func TestFirst(t *testing.T) {
	require.Equal(t, "one", text.First("\none\n\n"))
	require.Equal(t, "one …", text.First("one\r\ntwo"))
}

func TestALineIsShortAndWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		line := text.Line(s, limit)
		require.LessOrEqual(t, len(line), limit+len(text.Ellipsis))
		require.True(t, utf8.ValidString(line))
		require.NotContains(t, line, "\n")
	})
}

func TestShort(t *testing.T) {
	require.Equal(t, "äö", text.Short("äö", 4))
	require.Equal(t, "ä…", text.Short("äöü", 3))
	require.Equal(t, "one", text.FirstLine("\n one \r\ntwo"))
	require.Empty(t, text.FirstLine(" \n"))
}

func TestEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		head, tail := text.Ends(s, limit)
		require.True(t, strings.HasPrefix(s, head))
		require.True(t, strings.HasSuffix(s, tail))
		require.LessOrEqual(t, max(len(head), len(tail)), limit/2)
		require.True(t, utf8.ValidString(head) && utf8.ValidString(tail))
	})
}
