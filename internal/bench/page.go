package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// GroupResult is a group with its results.
type GroupResult struct {
	Group
	Figures []Figure
	Err     error // why there are no figures
}

// documents explains how to measure what the figures of one machine cannot show.
const documents = `
## Documents

` + "`" + `go run ./internal/bench/documents FOLDER…` + "`" + ` compares what is read in files of your own with what
pdftotext, LibreOffice (` + "`" + `soffice` + "`" + `), pandoc and markitdown read in them. What is not installed is named and skipped;
` + "`" + `--json` + "`" + ` has the figures of every file.

* *Recall* is the share of the words that all of these programs have, *precision* the share of the words here that
  any has. Words are counted in NFKC, and words hyphenated at a line end are joined. Headers, notes and comments,
  which most others leave out, cost precision.
* *Order* is the longest common subsequence with the program whose order is most similar, of the words that both
  have; for a PDF, of each page.
* *Rows* are lines with two columns of numbers. A row is whole if a line has the same numbers, and none of the rows
  next to it.
* Cells of workbooks that are numbers and dates are compared as such, stored and shown. Mail, archives and databases
  have no reference.
`

// Page formats figures as Markdown, with the missed goals at the end. machine is a line about where they were
// measured.
func Page(machine string, of []GroupResult) string {
	var b, missed strings.Builder
	b.WriteString("# What runs cost\n\n")
	b.WriteString(text.Wrap("Made by `go run ./internal/bench/report -o internal/bench/README.md`. "+machine, 110, "") + "\n")
	for _, g := range of {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.Name, text.Wrap(upper(g.About)+".", 110, ""))
		if g.Err != nil {
			fmt.Fprintf(&b, "Not measured: %s\n", g.Err)
			continue
		}
		b.WriteString("| | measured | goal | |\n| --- | ---: | ---: | --- |\n")
		for _, f := range g.Figures {
			goal := ""
			if f.Goal > 0 {
				goal = "≤ " + number(f.Goal, f.Unit)
			}
			value := number(f.Value, f.Unit)
			if f.Missed() {
				value = "**" + value + "**"
				fmt.Fprintf(&missed, "* %s: %s: %s where %s was asked\n", g.Name, f.Name, number(f.Value, f.Unit), goal)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Name, value, goal, f.Note)
		}
	}
	b.WriteString("\n## Missed\n\n")
	if missed.Len() == 0 {
		missed.WriteString("Nothing.\n")
	}
	b.WriteString(missed.String())
	b.WriteString(documents)
	return b.String()
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// number formats a value with three significant digits.
func number(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 1000 || strings.ContainsRune(text, 'e') {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	if unit == "×" {
		return text + unit
	}
	return text + " " + unit
}
