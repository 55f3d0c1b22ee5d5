package search_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

// offsetOf returns the offset of part in whole, whose memory it must share.
func offsetOf(whole, part string) int {
	return int(uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(whole))))
}

func TestLinesAgreeWithSplitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.ReplaceAll(drawText(t), "\r", "")
		from, to := rapid.IntRange(-2, 30).Draw(t, "from"), rapid.IntRange(-2, 30).Draw(t, "to")
		all := strings.Split(strings.TrimSuffix(in, "\n"), "\n")
		want := ""
		if low, high := max(from, 1), min(to, len(all)); low <= high {
			want = strings.Join(all[low-1:high], "\n")
		}
		require.Equal(t, want, search.Lines(in, from, to))
		n := rapid.IntRange(0, 30).Draw(t, "n")
		require.Equal(t, strings.Join(all[:min(n, len(all))], "\n"), search.Head(in, n))
		require.Equal(t, strings.Join(all[max(0, len(all)-n):], "\n"), search.Tail(in, n))
	})
}

func TestLinesOfALongText(t *testing.T) {
	in := strings.Repeat("line\n", 1_000_000) + "the end"
	got := search.Lines(in, 1_000_001, 2_000_000)
	require.Equal(t, "the end", got)
	require.Equal(t, 5_000_000, offsetOf(in, got), "a part of the text, not a copy")
	require.Equal(t, "line\nline", search.Lines(in, 500_000, 500_001))
	require.Equal(t, "a\r\nb", search.Head("a\r\nb\r\nc", 2))
}
