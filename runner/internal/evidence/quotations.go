// Package evidence checks an answer against its source text: the passages that its marks refer to, and its
// quotations.
package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/startup"
)

// Bounds of the quotations in one answer.
const (
	shortest       = 20       // least characters of a quotation that counts
	longest        = 64 << 10 // most bytes of a quotation that counts
	mostQuotations = 10_000
	shortestPart   = 8 // characters between two omissions
)

// quotation is text that the answer quotes.
type quotation struct {
	text string
	// readings are the possible readings: a text contains the quotation if it contains all parts of one of them.
	readings [][]string
}

// Unverified lists the quotations in an answer that do not occur in a text, in the order of the answer, each once.
// The text is read once, and not at all if the answer quotes nothing. Quotations are texts in quotation marks,
// block quotes and code spans, of 20 characters or more; omitted words (…) and the full stop of the surrounding
// sentence are allowed for.
func Unverified(ctx context.Context, r io.ReaderAt, size int64, answer string) ([]string, error) {
	all := quotations(answer)
	if len(all) == 0 {
		return nil, nil
	}
	index := map[string]int{}
	var parts []string
	for _, q := range all {
		for _, reading := range q.readings {
			for _, part := range reading {
				if _, known := index[part]; !known {
					index[part] = len(parts)
					parts = append(parts, part)
				}
			}
		}
	}
	places, err := search.ReadQuotations(ctx, r, size, parts)
	if err != nil {
		return nil, err
	}
	loosely := loosely(r, size)
	stands := func(reading []string) bool {
		return !slices.ContainsFunc(
			reading, func(part string) bool { return places[index[part]].Count == 0 && !loosely(part) })
	}
	var out []string
	for _, q := range all {
		if !slices.ContainsFunc(q.readings, stands) {
			out = append(out, q.text)
		}
	}
	return out, nil
}

// Bounds of the search for retyped quotations.
const (
	piece     = 64 << 20 // bytes of the text searched at a time
	smallText = 4 << 20  // bytes up to which a text is searched for a quotation as a whole, not by one of its words
	dearer    = 16       // how many times longer a search for the whole quotation takes
	// bytes searched for all quotations of an answer; one quotation may always search the text once
	mostLoose = 50 * piece
)

// loosely returns a function that finds a retyped quotation, which has other apostrophes, dashes or ligatures, in
// the same way as cite. The text is read when needed.
func loosely(r io.ReaderAt, size int64) func(quote string) bool {
	cost, spent, whole := size, int64(0), ""
	if size <= smallText {
		cost *= dearer
	}
	return func(quote string) bool {
		if spent > mostLoose-cost && spent > 0 {
			return false
		}
		spent += cost
		for at := int64(0); at < size; at += piece {
			text := whole
			if text == "" {
				part := make([]byte, min(piece+int64(4*len(quote)), size-at))
				if n, err := r.ReadAt(part, at); n < len(part) && err != nil {
					return false
				}
				text = string(part)
			}
			if size <= piece {
				whole = text
			}
			if search.Loosely(text, quote).Count > 0 {
				return true
			}
		}
		return false
	}
}

// quotations finds the quotations in an answer. In JSON, each string is searched separately: the quotation marks
// around it are not the author's.
func quotations(answer string) []quotation {
	var found []string
	if texts, ok := texts(answer); ok {
		for _, t := range texts {
			found = append(found, inText(t)...)
		}
	} else {
		found = inText(answer)
	}
	seen := map[string]bool{}
	var out []quotation
	for _, f := range found {
		text := strings.TrimSpace(withoutMarks(f))
		if folded := search.Fold(text); utf8.RuneCountInString(folded) < shortest || len(text) > longest ||
			seen[folded] || len(out) == mostQuotations {
			continue
		} else {
			seen[folded] = true
		}
		out = append(out, quotation{text, readings(text)})
	}
	return out
}

// texts returns the strings in JSON; ok is false for anything else.
func texts(answer string) (out []string, ok bool) {
	trimmed := strings.TrimSpace(answer)
	if trimmed == "" || !strings.ContainsRune(`{["`, rune(trimmed[0])) {
		return nil, false
	}
	var v any
	if json.Unmarshal([]byte(trimmed), &v) != nil {
		return nil, false
	}
	return gather(nil, v), true
}

func gather(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, item := range v {
			out = gather(out, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = gather(out, v[name])
		}
	}
	return out
}

// mark matches a footnote, such as a mark of evidence, and the space before it.
var mark = startup.Regexp(`\s*\[\^[^\]\s]{1,64}\]`)

func withoutMarks(text string) string {
	if !strings.Contains(text, "[^") {
		return text
	}
	return mark().ReplaceAllString(text, "")
}

// omission matches omitted words, or a changed letter.
var omission = startup.Regexp(`\s*(?:[\[(]\s*(?:…|\.\.\.)\s*[\])]|…|\.\.\.)\s*|\[\pL\]`)

// readings returns the possible readings of a quotation: literal, without the punctuation at its end, without
// emphasis, and in parts between omissions.
func readings(text string) [][]string {
	out := [][]string{{text}}
	add := func(parts ...string) {
		if !slices.ContainsFunc(out, func(r []string) bool { return slices.Equal(r, parts) }) {
			out = append(out, parts)
		}
	}
	bare := strings.NewReplacer("**", "", "*", "").Replace(text)
	for _, t := range slices.Compact([]string{text, bare}) {
		add(t)
		add(strings.TrimRight(t, ".,;:!?… "))
		var parts []string
		for _, part := range omission().Split(t, -1) {
			if utf8.RuneCountInString(part) >= shortestPart {
				parts = append(parts, strings.TrimRight(part, ".,;:!?"))
			}
		}
		if len(parts) > 0 && omission().MatchString(t) {
			add(parts...)
		}
	}
	return out
}

// Excerpt is the beginning of a quotation, for lists.
func Excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf(" … (%d bytes)", len(text))
}
