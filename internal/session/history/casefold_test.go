package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSearchInAnyCase: matches have the right position, even if letters differ in length between cases, and
// however their marks are encoded.
func TestSearchInAnyCase(t *testing.T) {
	for _, c := range []struct{ text, q, found string }{
		{"Grüße aus KÖLN", "köln", "KÖLN"},
		{"Grüße aus KÖLN", "GRÜSSE", ""},
		{"Grüße aus KÖLN", "GRÜẞE", "Grüße"},
		{"Mu\u0308ller und Müller", "MÜLLER", "Müller"},
		{"Müller", "mu\u0308ller", "Müller"},
		{"İİİ 300 \u212A", "k", "K"},
		{"İstanbul", "istanbul", "İstanbul"},
		{"ΟΔΟΣ", "οδος", "ΟΔΟΣ"},
		{"Ȿ Ȿ needle", "NEEDLE", "needle"},
		{"aAaB", "aab", "aAaB"[1:]},
		{"a\nxxNeedleyy\n", "needle", "Needle"},
		{"", "x", ""},
		{"\xff\xfebroken needle", "needle", "needle"},
		{strings.Repeat("Ä", 400) + "Needle" + strings.Repeat("Ö", 400), "needle", "Needle"},
		{"Scala", "SCALA", "Scala"},
	} {
		var h Hit
		ok := h.Around(c.text, Want(c.q))
		require.Equal(t, c.found != "", ok, "%q in %q", c.q, c.text)
		if ok {
			require.Equal(t, c.found, h.Text[h.At:h.At+h.Length], "%q in %q", c.q, c.text)
			require.LessOrEqual(t, len(h.Text), 300)
			require.True(t, Want(c.q).In(c.text))
		}
	}
}

func BenchmarkSearchLines(b *testing.B) {
	text := strings.Repeat("2026-03-17T00:00:00.543Z INFO gateway[prod-1] req=8e7e649b POST /checkout 200 196ms\n",
		10_000)
	w := Want("voucher code")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var h Hit
		h.Around(text, w)
	}
}
