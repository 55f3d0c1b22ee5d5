package window

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestWindowsAgreeWithTheLinesOfTheText(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < 2*block {
		b.WriteString(strings.Repeat("ü", dice.IntN(60)) + "\n")
	}
	b.WriteString("no newline at the end")
	text := b.String()
	lines := strings.SplitAfter(text, "\n")
	starts := make([]int64, len(lines)+1)
	for i, l := range lines {
		starts[i+1] = starts[i] + int64(len(l))
	}
	w := New(strings.NewReader(text), int64(len(text)))
	all := Range{0, w.Size()}
	ctx := context.Background()
	for range 150 {
		i := dice.IntN(len(lines))
		n := 1 + dice.IntN(20)
		want := strings.Join(lines[i:min(len(lines), i+n)], "")
		got, err := w.Line(ctx, all, int64(i+1), n)
		require.NoError(t, err)
		require.Equal(t, Window{starts[i], int64(i + 1), want}, got)

		inside := starts[i] + int64(dice.IntN(max(1, len(lines[i]))))
		got, err = w.At(ctx, all, inside, n)
		require.NoError(t, err)
		require.Equal(t, Window{starts[i], int64(i + 1), want}, got)

		from := max(0, i-n)
		got, err = w.At(ctx, all, inside, -n)
		require.NoError(t, err)
		require.Equal(t, Window{starts[from], int64(from + 1), strings.Join(lines[from:i], "")}, got)

		line, err := w.LineOf(ctx, all, inside)
		require.NoError(t, err)
		require.Equal(t, int64(i+1), line)

		// Within a document, lines count from its beginning, and text around it is not shown.
		doc := Range{starts[i], starts[min(len(lines), i+5)] - starts[i]}
		got, err = w.Line(ctx, doc, 2, 100)
		require.NoError(t, err)
		require.Equal(t, strings.Join(lines[min(len(lines), i+1):min(len(lines), i+5)], ""), got.Text)
	}
}

func TestLongLinesComeInPieces(t *testing.T) {
	text := strings.Repeat("äöü€", 200_000) + "\nend\n"
	w := New(strings.NewReader(text), int64(len(text)))
	var b strings.Builder
	at := int64(0)
	for at < w.Size() {
		got, err := w.At(context.Background(), Range{0, w.Size()}, at, 10)
		require.NoError(t, err)
		require.True(t, utf8.ValidString(got.Text))
		require.LessOrEqual(t, len(got.Text), most)
		require.Equal(t, at, got.Offset)
		require.NotEmpty(t, got.Text)
		b.WriteString(got.Text)
		at += int64(len(got.Text))
	}
	require.Equal(t, text, b.String())
}

func TestPlacesOutsideAreTheEnds(t *testing.T) {
	w := New(strings.NewReader("a\nb\n"), 4)
	all := Range{0, 4}
	for _, c := range []struct {
		offset int64
		lines  int
		want   string
	}{{-5, 1, "a\n"}, {99, 1, ""}, {99, -1, "b\n"}, {0, -3, ""}, {2, 0, ""}} {
		got, err := w.At(context.Background(), all, c.offset, c.lines)
		require.NoError(t, err)
		require.Equal(t, c.want, got.Text, fmt.Sprint(c))
	}
	empty := New(strings.NewReader(""), 0)
	got, err := empty.Line(context.Background(), Range{}, 1, 10)
	require.NoError(t, err)
	require.Empty(t, got.Text)
}
