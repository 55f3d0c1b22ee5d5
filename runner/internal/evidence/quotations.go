// Package evidence checks an answer against the text that it was made from: the passages that its marks stand for, and the quotations in
// it.
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

// Bounds of what is looked up of one answer.
const (
	shortest       = 20       // characters of a quotation that counts as one
	longest        = 64 << 10 // bytes
	mostQuotations = 10_000
	shortestPart   = 8 // characters between two omissions
)

// quotation is something that the answer says in the words of somebody.
type quotation struct {
	text string
	// readings are the ways to read it: it stands in a text if all parts of one of them do.
	readings [][]string
}

// Unverified lists the quotations in an answer that do not stand in a text, in the order of the answer, each once. The text is read once, and not at
// all if the answer quotes nothing. Quotations are what stands in quotation marks, in block quotes and in code spans, of 20
// characters or more; words left out (…) and a full stop that belongs to the sentence around a quotation are allowed for.
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
		return !slices.ContainsFunc(reading, func(part string) bool { return places[index[part]].Count == 0 && !loosely(part) })
	}
	var out []string
	for _, q := range all {
		if !slices.ContainsFunc(q.readings, stands) {
			out = append(out, q.text)
		}
	}
	return out, nil
}

// Bounds of the search for quotations that were typed again.
const (
	piece     = 64 << 20   // bytes of the text that are looked through at a time
	smallText = 4 << 20    // bytes of a text that is looked through for all of a quotation, and not around one of its words:
	dearer    = 16         // that takes so many times as long
	mostLoose = 50 * piece // bytes that are looked through for all quotations of an answer, and for one of them all
)

// loosely looks for a quotation that was typed again, with other apostrophes, dashes or ligatures, as cite does. The text is read when it is
// needed.
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

// quotations finds what an answer quotes. Of JSON, texts are looked at one by one: the quotation marks around them are not its author's.
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
		if folded := search.Fold(text); utf8.RuneCountInString(folded) < shortest || len(text) > longest || seen[folded] || len(out) == mostQuotations {
			continue
		} else {
			seen[folded] = true
		}
		out = append(out, quotation{text, readings(text)})
	}
	return out
}

// texts are the texts in JSON; ok is false for anything else.
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

// mark is a footnote, as marks are, with the space before it.
var mark = startup.Regexp(`\s*\[\^[^\]\s]{1,64}\]`)

func withoutMarks(text string) string {
	if !strings.Contains(text, "[^") {
		return text
	}
	return mark().ReplaceAllString(text, "")
}

// omission is where words were left out, or a letter was changed.
var omission = startup.Regexp(`\s*(?:[\[(]\s*(?:…|\.\.\.)\s*[\])]|…|\.\.\.)\s*|\[\pL\]`)

// readings are the ways to read a quotation: as it stands, without the punctuation at its end, without emphasis, and in parts where words
// were left out.
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
