package brief_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/brief"
)

func TestLine(t *testing.T) {
	require.Equal(t, "a b c", brief.Line("  a\n\tb\r\n c ", 20))
	require.Equal(t, "abc…", brief.Line("abcdef", 3))
	require.Equal(t, "ab…", brief.Line("ab cdef", 3))
	require.Equal(t, "·[31mred", brief.Line("\x1b[31mred", 20))
	require.Equal(t, "ä…", brief.Line("äö", 3))
	require.Equal(t, "", brief.Line("", 3))
	require.True(t, strings.HasSuffix(brief.Line(strings.Repeat(" ", 1000)+"late", 10), brief.Mark))
}

func TestFirst(t *testing.T) {
	require.Equal(t, "one", brief.First("\none\n\n"))
	require.Equal(t, "one …", brief.First("one\r\ntwo"))
}

func TestALineIsShortAndWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		line := brief.Line(s, limit)
		require.LessOrEqual(t, len(line), limit+len(brief.Mark))
		require.True(t, utf8.ValidString(line))
		require.NotContains(t, line, "\n")
	})
}
