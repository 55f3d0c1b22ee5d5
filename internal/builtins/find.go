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

// Search is a person's search in the context, with the functions that cells also have.
type Search struct {
	Query string `json:"query"`
	// How is literal (ignoring case, unless the query has upper-case letters), regular (an expression for grep) or
	// ranked (as search).
	How string `json:"how"`
	// From is the offset to continue at, and Most the number of hits wanted.
	From int64 `json:"from,omitempty"`
	Most int   `json:"most,omitempty"`
}

// Next returns the search that continues where this one ended.
func (s Search) Next(at int64) Search {
	if s.How != Ranked { // a ranked search covers the whole context
		s.From = at
	}
	return s
}

// Ranked is the How of a search that rates words by rarity.
const Ranked = "ranked"

// SearchHit is a place found by a search.
type SearchHit struct {
	Offset int64   `json:"offset"` // in bytes of the context
	Length int64   `json:"length"`
	Text   string  `json:"text"` // the line, or the beginning of the passage; truncated if it is long
	Score  float64 `json:"score,omitempty"`
}

// Finding is the result of a search. More means that it ended before the end of the context, at Next. A ranked
// search has found nothing then, because it must read all of the context first: repeat it to continue.
type Finding struct {
	Found []SearchHit `json:"found,omitempty"`
	More  bool        `json:"more,omitempty"`
	Next  int64       `json:"next,omitempty"`
}

// Finder searches one context after the other, and keeps the index of the last one, even if it is incomplete.
type Finder struct{ index searchIndex }

const (
	findStep  = 1 << 20   // bytes searched in one step, at first
	findBytes = 128 << 20 // bytes covered by one search: the caller continues at Next
	rankStep  = 16 << 20  // bytes by which an index grows; each byte is read twice
	findMost  = 1000
	findText  = 400 // bytes of a line that are shown
)

// Find searches a limited part of a text, so that it ends soon; an error explains what is wrong with the query.
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
			out.Found = append(out.Found, SearchHit{
				Offset: int64(p.Offset), Length: int64(len(p.Text)), Text: shortened(p.Text, 0), Score: p.Score,
			})
		}
		return out, nil
	case "literal":
		expr = regexp.QuoteMeta(s.Query)
		if !strings.ContainsFunc(s.Query, unicode.IsUpper) {
			expr = "(?i)" + expr
		}
	case "regular":
	default:
		return Finding{}, fmt.Errorf("unknown kind of search %q: use literal, regular or ranked", s.How)
	}
	return findLines(in, expr, s)
}

// findLines searches a text piece by piece, so that a word that is everywhere costs no more than a rare one.
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

// pieceEnd returns the end of the line that is step bytes after from.
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

// shortened returns the excerpt of a line to show, around a place in it.
func shortened(line string, at int) string {
	return strings.ToValidUTF8(search.Excerpt(line, at, findText), "\uFFFD")
}
