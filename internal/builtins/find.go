package builtins

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unsafe"

	"github.com/gorlm/rlm/internal/kit/search"
)

// Search is what a person looks for in the context, with the functions that cells have for that.
type Search struct {
	Query string `json:"query"`
	// How is literal (any case, unless the query has upper-case letters), regular (an expression for grep) or ranked (as search).
	How string `json:"how"`
	// From is the offset to go on at, and Most how many are wanted.
	From int64 `json:"from,omitempty"`
	Most int   `json:"most,omitempty"`
}

// Next is the search that goes on where this one ended.
func (s Search) Next(at int64) Search {
	if s.How != Ranked { // which ranks all of the context
		s.From = at
	}
	return s
}

// Ranked is how a search looks for words that are rated by how rare they are.
const Ranked = "ranked"

// SearchHit is a place that a search found.
type SearchHit struct {
	Offset int64   `json:"offset"` // in bytes of the context
	Length int64   `json:"length"`
	Text   string  `json:"text"` // the line, or the beginning of the passage; cut if it is long
	Score  float64 `json:"score,omitempty"`
}

// Finding is what a search found. More says that it ended before the end of the context, at Next. A ranked one has found nothing then: it
// reads all of the context before, and the same search goes on.
type Finding struct {
	Found []SearchHit `json:"found,omitempty"`
	More  bool        `json:"more,omitempty"`
	Next  int64       `json:"next,omitempty"`
}

// Finder searches one context after the other, and keeps the index of the last one, also one that is not whole yet.
type Finder struct{ index searchIndex }

const (
	findStep  = 1 << 20   // bytes that are searched at once, at first
	findBytes = 128 << 20 // bytes that one search goes through: who asks goes on at Next
	rankStep  = 16 << 20  // bytes by which an index goes on, each of which it passes twice
	findMost  = 1000
	findText  = 400 // bytes of a line that are shown
)

// Find searches a text. It goes through so much of it that it ends soon; the error says what is wrong with the query.
func (f *Finder) Find(in string, s Search) (Finding, error) {
	if s.Query == "" || len(s.Query) > longestQuery {
		return Finding{}, fmt.Errorf("what is looked for has 1 to %d bytes", longestQuery)
	}
	if s.Most <= 0 || s.Most > findMost {
		s.Most = findMost
	}
	expr := s.Query
	switch s.How {
	case Ranked:
		index, read := f.index.step(in, rankStep)
		if index == nil {
			return Finding{More: true, Next: int64(read)}, nil
		}
		var out Finding
		for _, p := range index.Search(s.Query, s.Most) {
			out.Found = append(out.Found, SearchHit{Offset: int64(p.Offset), Length: int64(len(p.Text)), Text: shortened(p.Text, 0), Score: p.Score})
		}
		return out, nil
	case "literal":
		expr = regexp.QuoteMeta(s.Query)
		if !strings.ContainsFunc(s.Query, unicode.IsUpper) {
			expr = "(?i)" + expr
		}
	case "regular":
	default:
		return Finding{}, fmt.Errorf("%q is no way to search: literal, regular or ranked", s.How)
	}
	return findLines(in, expr, s)
}

// findLines goes through a text piece by piece, so that a word which stands everywhere costs no more than one that does not.
func findLines(in, expr string, s Search) (Finding, error) {
	from := int(min(max(s.From, 0), int64(len(in))))
	last, step := min(len(in), from+findBytes), findStep
	var out Finding
	for {
		to := pieceEnd(in, from, step, last)
		hits, _, err := search.FormOf(in[from:to]).Grep(in[from:to], expr, 0)
		if err != nil {
			return Finding{}, err
		}
		for _, h := range hits {
			at := from + h.Offset
			if len(out.Found) == s.Most {
				out.More, out.Next = true, int64(at)
				return out, nil
			}
			line := shortened(h.Text, search.Column(h))
			out.Found = append(out.Found, SearchHit{Offset: int64(at), Length: int64(len(h.Match)), Text: line})
		}
		if from = to; from >= last {
			out.More, out.Next = from < len(in), int64(from)
			return out, nil
		}
		step = min(2*step, 32<<20)
	}
}

// pieceEnd is the end of the line step bytes on.
func pieceEnd(in string, from, step, last int) int {
	if from+step >= last {
		return last
	}
	rest := unsafe.Slice(unsafe.StringData(in), len(in))[from+step : last]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return from + step + i + 1
	}
	return last
}

// shortened is what is shown of a line around a place in it.
func shortened(line string, at int) string {
	return strings.ToValidUTF8(search.Excerpt(line, at, findText), "\uFFFD")
}
