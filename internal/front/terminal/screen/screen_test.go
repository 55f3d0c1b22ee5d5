package screen

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc é 漢 👍", "a\tb\nc é 漢 👍"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"window title", "\x1b]0;owned\x07after", "after"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x1b\\after", "after"},
		{"cursor", "a\x1b[2J\x1b[Hb", "ab"},
		{"carriage return hides", "safe\rrm -rf", "saferm -rf"},
		{"line ends of Windows", "a\r\nb", "a\nb"},
		{"8-bit control", "a\u009b31mb", "a31mb"}, // without the control the rest is not a sequence
		{"text order", "abc\u202Ecba", "abccba"},
		{"no UTF-8", "a\xffb", "a\uFFFDb"},
		{"sequence never ended", "a\x1b]0;b", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Clean(tt.in)) })
	}
}

func TestCleanLeavesNothingToObey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := Clean(rapid.String().Draw(t, "text"))
		require.False(t, needsCleaning(got), "%q", got)
		require.Equal(t, got, Clean(got))
	})
}
