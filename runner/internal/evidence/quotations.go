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

	"github.com/gorlm/rlm/internal/lazy"
	"github.com/gorlm/rlm/internal/verbatim"
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
	places, err := verbatim.Read(ctx, r, size, parts)
	if err != nil {
		return nil, err
	}
	stands := func(reading []string) bool {
		return !slices.ContainsFunc(reading, func(part string) bool { return places[index[part]].Count == 0 })
	}
	var out []string
	for _, q := range all {
		if !slices.ContainsFunc(q.readings, stands) {
			out = append(out, q.text)
		}
	}
	return out, nil
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
		if folded := verbatim.Fold(text); utf8.RuneCountInString(folded) < shortest || len(text) > longest || seen[folded] || len(out) == mostQuotations {
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
var mark = lazy.Regexp(`\s*\[\^[^\]\s]{1,64}\]`)

func withoutMarks(text string) string {
	if !strings.Contains(text, "[^") {
		return text
	}
	return mark().ReplaceAllString(text, "")
}

// omission is where words were left out, or a letter was changed.
var omission = lazy.Regexp(`\s*(?:[\[(]\s*(?:…|\.\.\.)\s*[\])]|…|\.\.\.)\s*|\[\pL\]`)

// straight and curly are the two ways to set apostrophes and quotation marks, which people and models change as they copy.
var (
	straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)
	curly    = strings.NewReplacer("'", "’")
)

// readings are the ways to read a quotation: as it stands, without the punctuation at its end, without emphasis, with other apostrophes, and in
// parts where words were left out.
func readings(text string) [][]string {
	out := [][]string{{text}}
	add := func(parts ...string) {
		if !slices.ContainsFunc(out, func(r []string) bool { return slices.Equal(r, parts) }) {
			out = append(out, parts)
		}
	}
	bare := strings.NewReplacer("**", "", "*", "").Replace(text)
	for _, t := range slices.Compact([]string{text, bare, straight.Replace(bare), curly.Replace(bare)}) {
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
