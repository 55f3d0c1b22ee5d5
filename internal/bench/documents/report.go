package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// worst is how many of each format's worst files are listed, per measure.
const worst = 3

// Report is all that was measured.
type Report struct {
	Tools   []string `json:"tools"`   // programs that files were compared with
	Missing []string `json:"missing"` // programs that are not installed
	Formats []Format `json:"formats"`
	Files   []File   `json:"files"`
}

// Format sums up the files of one format. Medians and tenth percentiles are over files; those of order in PDFs are
// over pages. These and the overall shares are 1 if nothing was compared.
type Format struct {
	Kind      string `json:"kind"`
	Files     int    `json:"files"`
	Unread    int    `json:"unread"`   // files with a reason why some or all of the text is missing
	Compared  int    `json:"compared"` // files compared with another program's text
	Words     int    `json:"words"`
	Recall    Shares `json:"recall"`
	Precision Shares `json:"precision"`
	Order     Shares `json:"order"`
	Rows      int    `json:"rows"`
	Whole     int    `json:"whole"`
	Absent    int    `json:"absent,omitempty"` // this and the following fields are as in File
	Wanted    int    `json:"wanted,omitempty"`
	Held      int    `json:"held,omitempty"`
	Beside    int    `json:"beside,omitempty"`
	Unwanted  int    `json:"unwanted,omitempty"`
	Apart     int    `json:"apart,omitempty"`
}

// Shares is a distribution of shares.
type Shares struct {
	Median   float64 `json:"median"`
	P10      float64 `json:"p10"`
	Weighted float64 `json:"weighted,omitempty"` // over all words together
}

func newReport(l *lab, files []File) Report {
	r := Report{Tools: []string{}, Missing: append([]string{}, l.missing...), Files: files}
	for _, t := range l.tools {
		r.Tools = append(r.Tools, t.name)
	}
	kinds := map[string][]File{}
	for _, f := range files {
		kinds[f.Kind] = append(kinds[f.Kind], f)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		r.Formats = append(r.Formats, summary(kind, kinds[kind]))
	}
	return r
}

func summary(kind string, files []File) Format {
	s := Format{Kind: kind, Files: len(files)}
	var recalls, precisions, orders []float64
	var found, own, known int
	for _, f := range files {
		if f.Why != "" {
			s.Unread++
		}
		s.Absent, s.Wanted = s.Absent+f.Absent, s.Wanted+f.Wanted
		s.Held, s.Beside = s.Held+f.Held, s.Beside+len(f.Beside)
		s.Unwanted, s.Apart = s.Unwanted+f.Unwanted, s.Apart+f.Apart
		if f.Own+f.Words == 0 {
			continue
		}
		s.Compared++
		s.Words += f.Words
		s.Rows += f.Rows
		s.Whole += f.Whole
		found, own, known = found+f.Found, own+f.Own, known+f.Known
		recalls, precisions = append(recalls, f.recall()), append(precisions, f.precision())
		orders = append(orders, f.Orders...)
	}
	s.Recall, s.Precision, s.Order = distribution(recalls), distribution(precisions), distribution(orders)
	s.Recall.Weighted, s.Precision.Weighted = share(found, s.Words), share(known, own)
	return s
}

func distribution(of []float64) Shares {
	if len(of) == 0 {
		return Shares{Median: 1, P10: 1}
	}
	slices.Sort(of)
	return Shares{Median: of[len(of)/2], P10: of[len(of)/10]}
}

// table writes the report as Markdown, for people.
func (r Report) table() string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "Compared with %s.", orNothing(r.Tools))
	if len(r.Missing) > 0 {
		_, _ = fmt.Fprintf(&b, " Not installed, and skipped: %s.", strings.Join(r.Missing, ", "))
	}
	b.WriteString("\n\n| format | files | unread | compared | words |" +
		" recall median / p10 / all | precision median / p10 / all | order median / p10 | rows whole |\n" +
		"| --- | ---: | ---: | ---: | ---: | --- | --- | --- | --- |\n")
	for _, f := range r.Formats {
		_, _ = fmt.Fprintf(&b, "| %s | %d | %d | %d |", f.Kind, f.Files, f.Unread, f.Compared)
		if f.Compared == 0 {
			b.WriteString(" – | – | – | – | – |\n")
			continue
		}
		_, _ = fmt.Fprintf(&b, " %d | %.3f / %.3f / %.4f | %.3f / %.3f / %.4f | %.3f / %.3f | %s |\n",
			f.Words, f.Recall.Median, f.Recall.P10, f.Recall.Weighted,
			f.Precision.Median, f.Precision.P10, f.Precision.Weighted, f.Order.Median, f.Order.P10, rows(f))
	}
	for _, f := range r.Formats {
		if f.Wanted > 0 {
			_, _ = fmt.Fprintf(&b, "\nOf %d strings that are wanted of %s and stand in its files (%d do not), "+
				"%.2f %% are there, %.2f %% beside the main text; of %d unwanted ones %.1f %% are left out or beside it.\n",
				f.Wanted, f.Kind, f.Absent, 100*share(f.Held, f.Wanted), 100*share(f.Beside, f.Wanted),
				f.Unwanted, 100*share(f.Apart, f.Unwanted))
		}
	}
	for _, f := range r.Formats {
		r.writeWorst(&b, f.Kind)
	}
	r.list(&b, "Not read, or not to the end", func(f File) []string {
		if f.Why == "" {
			return nil
		}
		return []string{f.Why}
	})
	r.list(&b, "Other programs that failed", func(f File) []string { return f.Failed })
	return b.String()
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func rows(f Format) string {
	if f.Rows == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% of %d", 100*share(f.Whole, f.Rows), f.Rows)
}

func (r Report) writeWorst(b *strings.Builder, kind string) {
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f File) bool { return f.Kind != kind })
	written := map[string]bool{}
	for _, measure := range measures {
		for _, f := range worstBy(files, measure) {
			if len(written) == 0 {
				_, _ = fmt.Fprintf(b, "\n## Worst %s\n\n", kind)
			}
			if !written[f.Path] {
				b.WriteString(f.line())
			}
			written[f.Path] = true
		}
	}
}

// list writes the lines that of returns for each file, under a title, if there are any.
func (r Report) list(b *strings.Builder, title string, of func(File) []string) {
	for _, f := range r.Files {
		for _, line := range of(f) {
			if title != "" {
				_, _ = fmt.Fprintf(b, "\n## %s\n\n", title)
				title = ""
			}
			_, _ = fmt.Fprintf(b, "* %s: %s\n", f.Path, line)
		}
	}
}
