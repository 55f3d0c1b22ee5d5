package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

func TestFind(t *testing.T) {
	const text = "The pump\n   failed at three. It\tfailed\u00a0again, said the keeper.\n\nIt failed again, said nobody. 日本語の 文章です。"
	for name, c := range map[string]struct {
		quote  string
		stands string // the words as they are in the text; "" if they were not found
		count  int
		folded bool
	}{
		"word for word":             {"said the keeper", "said the keeper", 1, false},
		"several times":             {"failed", "failed", 3, false},
		"a line break":              {"The pump failed at three", "The pump\n   failed at three", 1, true},
		"word for word goes first":  {"It failed again", "It failed again", 1, false},
		"no-break space":            {"failed again, said the keeper", "failed\u00a0again, said the keeper", 1, true},
		"space at the ends":         {"  said nobody \n", "said nobody", 1, true},
		"short":                     {"at", "at", 1, false},
		"short, folded":             {"It  fail", "It\tfail", 2, true},
		"white space in the middle": {"pump\n\n\tfailed at three", "pump\n   failed at three", 1, true},
		"characters of three bytes": {"日本語の\n文章です", "日本語の 文章です", 1, true},
		"no space where one is":     {"Thepump failed at three", "", 0, false},
		"a space where none is":     {"The pump fai led at three", "", 0, false},
		"another case":              {"the pump failed at three", "", 0, false},
		"nothing":                   {"", "", 0, false},
		"white space alone":         {" \n ", "", 0, false},
		"longer than the text":      {text + "!", "", 0, false},
		"all of it":                 {text, text, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			place := search.Quotations(text, []string{c.quote})[0]
			require.Equal(t, c.count, place.Count)
			require.Equal(t, c.stands, text[place.Offset:place.Offset+place.Length])
			require.Equal(t, c.folded, place.Folded)
		})
	}
}

// naive specifies Quotations in terms of the standard library.
func naive(text, quote string) search.Quotation {
	if strings.TrimSpace(quote) == "" {
		return search.Quotation{}
	}
	places := func(length func(at int) int) (p search.Quotation) {
		for at := range len(text) {
			if n := length(at); n > 0 {
				if p.Count == 0 {
					p.Offset, p.Length = int64(at), int64(n)
				}
				p.Count++
			}
		}
		return p
	}
	if p := places(func(at int) int {
		if strings.HasPrefix(text[at:], quote) {
			return len(quote)
		}
		return 0
	}); p.Count > 0 {
		return p
	}
	if !utf8.ValidString(quote) {
		return search.Quotation{} // a regular expression cannot match invalid UTF-8
	}
	var words []string
	for _, w := range strings.Fields(quote) {
		words = append(words, regexp.QuoteMeta(w))
	}
	folded := regexp.MustCompile(`^(?:` + strings.Join(words, `[\s\v\x{85}\x{a0}\x{3000}]+`) + `)`)
	p := places(func(at int) int { return len(folded.FindString(text[at:])) })
	p.Folded = p.Count > 0
	return p
}

func TestFindAgreesWithRegexp(t *testing.T) {
	letters := rapid.SampledFrom(
		[]string{"a", "b", "ab", "abcabcabc", "\u00e9", "語", "字", " ", "\n", "  ", "\u00a0", "\u3000", ".", "*"})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(letters, 0, 60).Draw(t, "letters"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		quotes := rapid.SliceOfN(texts, 1, 5).Draw(t, "quotes")
		if n := len(text); n > 0 { // add quotations that certainly occur
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			to := rapid.IntRange(from, n).Draw(t, "to")
			part := text[from:to]
			quotes = append(quotes, part, search.Fold(part), strings.ReplaceAll(part, " ", "\n "))
		}
		found := search.Quotations(text, quotes)
		read, err := search.ReadQuotations(context.Background(), strings.NewReader(text), int64(len(text)), quotes)
		require.NoError(t, err)
		for i, q := range quotes {
			require.Equal(t, found[i], read[i], "%q", q)
			if want := naive(text, q); want.Count > 0 || utf8.ValidString(q) {
				require.Equal(t, want, found[i], "%q", q)
			}
		}
	})
}

// TestReadAcrossPieces places quotations across the boundaries of the text's pieces.
func TestReadAcrossPieces(t *testing.T) {
	const piece = 4 << 20
	var b strings.Builder
	for b.Len() < 3*piece {
		fmt.Fprintf(&b, "line %d of a log with words in it\n", b.Len())
	}
	text := b.String()
	var quotes []string
	var at []int64
	for border := piece; border < len(text)-60; border += piece {
		for _, before := range []int{0, 1, 7, 8, 9, 30, 59} {
			quotes, at = append(quotes, text[border-before:border-before+60]), append(at, int64(border-before))
		}
	}
	places, err := search.ReadQuotations(context.Background(), strings.NewReader(text), int64(len(text)), quotes)
	require.NoError(t, err)
	for i, p := range places {
		require.Equal(t, search.Quotation{Offset: at[i], Length: 60, Count: 1}, p, "%q", quotes[i])
	}
}

func TestRepetitiveTextEnds(t *testing.T) {
	text := strings.Repeat("a", 8<<20)
	_, err := search.ReadQuotations(
		context.Background(), strings.NewReader(text), int64(len(text)), []string{strings.Repeat("a", 1<<16) + " b"})
	require.ErrorIs(t, err, search.ErrTooRepetitive)
}

// BenchmarkRead looks for a thousand quotations in 64 MB, or 1 GB with RLM_LONG=1; half of them occur.
func BenchmarkRead(b *testing.B) {
	size := 64 << 20
	if os.Getenv("RLM_LONG") != "" {
		size = 1 << 30
	}
	rng := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		word := make([]byte, 2+rng.IntN(9))
		for j := range word {
			word[j] = "etaoinshrdlucmfwypvbgk"[min(rng.IntN(22), rng.IntN(22))]
		}
		vocabulary[i] = string(word)
	}
	var text strings.Builder
	text.Grow(size + 100)
	for text.Len() < size {
		text.WriteString(vocabulary[min(
			rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)))])
		text.WriteByte(" \n    "[rng.IntN(6)])
	}
	all := text.String()
	quotes := make([]string, 1000)
	for i := range quotes {
		at := rng.IntN(len(all) - 200)
		quotes[i] = all[at : at+20+rng.IntN(150)]
		if i%2 == 0 {
			quotes[i] += "!"
		}
	}
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		began := time.Now()
		places, err := search.ReadQuotations(context.Background(), strings.NewReader(all), int64(len(all)), quotes)
		require.NoError(b, err)
		require.Equal(b, 1, places[1].Count)
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/pass")
	}
}
