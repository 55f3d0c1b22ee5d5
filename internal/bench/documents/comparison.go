package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/testing/likeness"
)

const (
	fewest = 10            // fewest words that a page and a reference have in common for their order to count
	dear   = 4_000_000_000 // pairs of equal words beyond which order is not compared, because that takes minutes
	named  = 12            // how many words and rows of a file are named
)

// File is the comparison of one document. Shares are between 0 and 1.
type File struct {
	Path       string    `json:"path"`
	Kind       string    `json:"kind"`                 // its format, or its extension if nothing was read
	Why        string    `json:"why,omitempty"`        // why some or all of the text is missing
	References []string  `json:"references"`           // other programs that read it
	Failed     []string  `json:"failed,omitempty"`     // programs that did not, and why
	Words      int       `json:"words"`                // words that all references have
	Found      int       `json:"found"`                // words of these that the project's text has
	Own        int       `json:"own"`                  // words of the project's text
	Known      int       `json:"known"`                // words of these that a reference has
	Orders     []float64 `json:"orders,omitempty"`     // share of common words in the same order, per page
	WorstPage  int       `json:"worst_page,omitempty"` // the page with the lowest order
	Rows       int       `json:"rows"`                 // table rows with numbers, in a reference
	Whole      int       `json:"whole"`                // rows of these that are on one line
	Missing    []string  `json:"missing,omitempty"`    // the first words that were not found
	Unknown    []string  `json:"unknown,omitempty"`    // the first words that no reference has
	Torn       []string  `json:"torn,omitempty"`       // the first rows that are not whole
	Absent     int       `json:"absent,omitempty"`     // strings that people expect of a page, but its file lacks
	Wanted     int       `json:"wanted,omitempty"`     // expected strings that the file has
	Held       int       `json:"held,omitempty"`       // wanted strings that are in the text or beside it
	Unwanted   int       `json:"unwanted,omitempty"`   // strings that people do not want
	Apart      int       `json:"apart,omitempty"`      // unwanted strings that are left out or beside the text
	Lost       []string  `json:"lost,omitempty"`       // the first wanted strings that are missing
	Beside     []string  `json:"beside,omitempty"`     // the wanted strings beside the text
	Kept       []string  `json:"kept,omitempty"`       // the first unwanted strings in the text
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (f File) recall() float64    { return share(f.Found, f.Words) }
func (f File) precision() float64 { return share(f.Known, f.Own) }
func (f File) wholeRows() float64 { return share(f.Whole, f.Rows) }

func (f File) order() float64 {
	if len(f.Orders) == 0 {
		return 1
	}
	return slices.Min(f.Orders)
}

// compare reads a document with all programs.
func (l *lab) compare(ctx context.Context, path string) (File, error) {
	own, kind, why, err := l.own(ctx, path)
	if err != nil {
		return File{}, err
	}
	f := File{Path: path, Kind: kindOf(kind, path), Why: why, References: []string{}}
	if of, ok := l.gold[filepath.Base(path)]; ok {
		if err := f.compareGold(of, own); err != nil {
			return File{}, err
		}
	}
	var references []reading
	for _, t := range l.tools {
		if !slices.Contains(t.kinds, f.Kind) {
			continue
		}
		r, err := t.read(ctx, l, path, f.Kind)
		if ctx.Err() != nil {
			return File{}, context.Cause(ctx)
		}
		if err != nil {
			f.Failed = append(f.Failed, t.name+": "+err.Error())
			continue
		}
		r.by = t.name
		references = append(references, r)
		f.References = append(f.References, t.name)
	}
	if len(references) > 0 && len(own.pages) > 0 {
		f.compareWords(own, references)
		f.compareOrder(own, references)
		f.compareRows(own, references)
	}
	return f, nil
}

// compareWords counts the words that all references have, and those that at least one has.
func (f *File) compareWords(own reading, references []reading) {
	all, any := map[string]int{}, map[string]int{}
	for i, r := range references {
		counts := count(slices.Concat(r.pages...))
		for w, n := range counts {
			any[w] = max(any[w], n)
		}
		if i == 0 {
			all = counts
			continue
		}
		for w, n := range all {
			all[w] = min(n, counts[w])
		}
	}
	ours := slices.Concat(own.pages...)
	have := count(ours)
	for _, w := range slices.Concat(references[0].pages...) {
		if all[w] == 0 {
			continue
		}
		all[w]--
		f.Words++
		if have[w] > 0 {
			have[w]--
			f.Found++
		} else {
			f.Missing = name(f.Missing, w)
		}
	}
	for _, w := range ours {
		f.Own++
		if any[w] > 0 {
			any[w]--
			f.Known++
		} else {
			f.Unknown = name(f.Unknown, w)
		}
	}
}

func name(names []string, s string) []string {
	if len(names) < named && !slices.Contains(names, s) {
		names = append(names, s)
	}
	return names
}

func count(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}

// compareOrder compares each page with the reference whose word order is most similar.
func (f *File) compareOrder(own reading, references []reading) {
	for i, page := range own.pages {
		best := math.Inf(-1)
		for _, r := range references {
			if i >= len(r.pages) {
				continue
			}
			other := r.pages[i]
			a, b := count(page), count(other)
			common, pairs := 0, 0
			for w, n := range a {
				common += min(n, b[w])
				pairs += n * b[w]
			}
			if common >= fewest && pairs <= dear {
				best = max(best, share(likeness.CommonSubsequence(page, other), common))
			}
		}
		if best >= 0 {
			if len(f.Orders) == 0 || best < f.order() {
				f.WorstPage = i + 1
			}
			f.Orders = append(f.Orders, best)
		}
	}
}

// compareRows looks for the rows of the first reference that has tables. Numbers that are side by side but drawn
// separately, as in the columns of a page, are not a row.
func (f *File) compareRows(own reading, references []reading) {
	at := slices.IndexFunc(references, func(r reading) bool { return slices.ContainsFunc(r.rows, isSome) })
	if at < 0 {
		return
	}
	var rows [][]string
	for i, page := range references[at].rows {
		for _, r := range references {
			if r.drawn && i < len(r.pages) {
				drawn := strings.Join(likeness.Numbers(r.pages[i]), "")
				page = slices.DeleteFunc(page, func(row []string) bool {
					return !strings.Contains(drawn, strings.Join(row, ""))
				})
			}
		}
		rows = append(rows, page...)
	}
	whole, torn := own.lines.Whole(rows)
	f.Rows, f.Whole = len(rows), whole
	for _, row := range torn {
		f.Torn = name(f.Torn, strings.Join(row, " "))
	}
}

func isSome(rows [][]string) bool { return len(rows) > 0 }

// line is a file's entry in the list of the worst ones.
func (f File) line() string {
	text := fmt.Sprintf("* %s: recall %.4f, precision %.4f, order %.4f", f.Path, f.recall(), f.precision(), f.order())
	if f.Kind == "pdf" && f.order() < 1 {
		text += fmt.Sprintf(" (page %d)", f.WorstPage)
	}
	if f.Rows > 0 {
		text += fmt.Sprintf(", rows %d of %d", f.Whole, f.Rows)
	}
	for _, list := range []struct {
		what  string
		items []string
	}{
		{"missing", f.Missing},
		{"only here", f.Unknown},
		{"torn", f.Torn},
		{"wanted and lost", f.Lost},
		{"unwanted", f.Kept},
	} {
		if len(list.items) > 0 {
			text += fmt.Sprintf("; %s: %s", list.what, strings.Join(list.items, " · "))
		}
	}
	return text + "\n"
}

// measures are the shares by which files are ranked.
var measures = []func(File) float64{File.recall, File.precision, File.order, File.wholeRows}

// worstBy returns the files that are worst by one measure.
func worstBy(files []File, measure func(File) float64) []File {
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return measure(f) == 1 })
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(measure(a), measure(b)) })
	return files[:min(len(files), worst)]
}
