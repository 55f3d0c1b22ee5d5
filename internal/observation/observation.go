// Package observation renders what a model sees of a turn: what its cells printed, or why they failed.
package observation

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// Observation is the outcome of a turn, as the model sees it.
type Observation struct {
	Cells []Cell
	// Skipped are blocks of the reply that are not cells, each with its reason.
	Skipped []SkippedBlock
	// Remarks are shown verbatim: a signal that was not counted, a fallback, sub-calls that failed.
	Remarks []string
	// Cut means that the reply was truncated at the token limit.
	Cut bool
	// Left is shown on the last line; nil if there are no budgets (rlm exec).
	Left *prompts.RemainingBudget
}

// Cell is the outcome of one cell.
type Cell struct {
	Number    int
	Output    string
	Truncated int64 // bytes left out in the middle of Output
	Value     string
	ErrorKind string // empty: the cell succeeded
	Error     string
	Answered  bool   // the cell recorded the answer
	Answer    string // the recorded answer
	Changed   []Var
	Notes     []string
	Restored  string // what happened to the state after a worker died
	NotRun    string // why the cell did not run; nothing else is set then
}

// Of returns what a model sees of a cell's result; `rlm exec` prints the same.
func Of(res repl.Result, output string, truncated int64, restore *sandbox.Restore) Cell {
	p := Cell{
		Number: res.Cell, Output: output, Truncated: truncated, Value: res.Value, Answered: res.Final != nil,
		Notes: res.Notes,
	}
	if res.Error != nil {
		p.ErrorKind, p.Error = string(res.Error.Kind), res.Error.Message
	}
	for _, v := range res.Changed {
		p.Changed = append(p.Changed, Var{Name: v.Name, Type: v.Type, Size: v.Size})
	}
	if restore != nil && restore.Losses() != "" {
		p.Restored = "the worker was replaced: " + restore.Losses()
	}
	return p
}

// Var is a variable that a cell created or changed.
type Var struct{ Name, Type, Size string }

// SkippedBlock is a block that was not run.
type SkippedBlock struct {
	Lang   string
	Line   int
	Reason string
}

// Mark begins each section of an observation: "[cell 3] ok". A reply with such a line is an echo.
const Mark = "[cell "

// MarkLeft begins the last line of an observation. A reply with such a line is an echo too.
const MarkLeft = "[left] "

// String renders the observation:
//
//	[cell 3] ok
//	…what the cell printed…
//	value: 42
//	variables: rows []Row (len 120), total int
//	note: …
//	[cell 4] CompileError
//	…the message, with the offending line…
//	[cell 5] not run: …
//	[block] line 12, python: …
//	[left] turns 27 of 30, sub-calls 480 of 500
func (o Observation) String() string {
	var b strings.Builder
	for i := 0; i < len(o.Cells); {
		same := i + 1
		for o.Cells[i].NotRun != "" && same < len(o.Cells) && o.Cells[same].NotRun == o.Cells[i].NotRun {
			same++
		}
		if same-i > maxSkipped {
			fmt.Fprintf(&b, "%s%d] to %s%d] not run: %s\n", Mark, o.Cells[i].Number, Mark, o.Cells[same-1].Number,
				o.Cells[i].NotRun)
			i = same
			continue
		}
		o.Cells[i].write(&b)
		i++
	}
	for _, s := range o.Skipped[:min(len(o.Skipped), maxSkipped)] {
		lang := text.Line(s.Lang, 40)
		if lang == "" {
			lang = "untagged"
		}
		fmt.Fprintf(&b, "[block] line %d, %s: %s\n", s.Line, lang, text.Line(s.Reason, 500))
	}
	if n := len(o.Skipped) - maxSkipped; n > 0 {
		fmt.Fprintf(&b, "[block] %d more blocks were not run, the last one on line %d\n", n,
			o.Skipped[len(o.Skipped)-1].Line)
	}
	if o.Cut {
		b.WriteString("[reply] your reply was cut at the token limit; a cell that was not closed did not run. Write shorter replies: one cell at a time.\n")
	}
	for _, r := range o.Remarks {
		fmt.Fprintf(&b, "[note] %s\n", strings.TrimSpace(r))
	}
	if o.Left != nil {
		if s := o.Left.String(); s != "" {
			fmt.Fprintf(&b, "%s%s\n", MarkLeft, s)
		}
	}
	return b.String()
}

func (c Cell) write(b *strings.Builder) {
	switch {
	case c.NotRun != "":
		fmt.Fprintf(b, "%s%d] not run: %s\n", Mark, c.Number, c.NotRun)
		return
	case c.ErrorKind != "":
		fmt.Fprintf(b, "%s%d] %s\n", Mark, c.Number, c.ErrorKind)
	default:
		fmt.Fprintf(b, "%s%d] ok\n", Mark, c.Number)
	}
	line(b, c.Output)
	if c.Truncated > 0 {
		fmt.Fprintf(b, "(%s left out in the middle; print less at a time, for example a slice of it)\n",
			units.Of(c.Truncated, "byte"))
	}
	line(b, c.Error)
	if c.Value != "" {
		line(b, "value: "+c.Value)
	}
	if c.Answered {
		line(b, c.answer())
	}
	if c.Output == "" && c.Value == "" && c.ErrorKind == "" && !c.Answered {
		line(b, "(no output)")
	}
	if len(c.Changed) > 0 {
		line(b, "variables: "+vars(c.Changed))
	}
	if c.Restored != "" {
		line(b, "restored: "+c.Restored)
	}
	for _, n := range c.Notes {
		line(b, "note: "+n)
	}
}

// maxAnswer bounds the part of an answer that the model sees again.
const maxAnswer = 2000

// answer describes the recorded answer, to which a follow-up question may refer.
func (c Cell) answer() string {
	switch {
	case c.Answer == "":
		return "answer recorded"
	case strings.Contains(strings.TrimSpace(c.Answer), "\n"):
		return "answer recorded:\n" + text.Cut(c.Answer, maxAnswer)
	}
	return "answer recorded: " + text.Cut(c.Answer, maxAnswer)
}

// maxSkipped bounds the items listed one by one: skipped blocks, and cells in a row that did not run for the same
// reason.
const maxSkipped = 5

// maxVars bounds the variables listed for one cell.
const maxVars = 30

func vars(changed []Var) string {
	shown := changed[:min(len(changed), maxVars)]
	parts := make([]string, len(shown))
	for i, v := range shown {
		parts[i] = v.Name + " " + text.Line(withoutTags(v.Type), 160)
		if v.Size != "" {
			parts[i] += " (" + v.Size + ")"
		}
	}
	s := strings.Join(parts, ", ")
	if n := len(changed) - len(shown); n > 0 {
		s += fmt.Sprintf(", and %d more", n)
	}
	return s
}

// withoutTags removes the field tags, which are the only strings in a type.
func withoutTags(typ string) string {
	return tags().ReplaceAllString(typ, "")
}

var tags = startup.Regexp(` "(?:[^"\\]|\\.)*"`)

func line(b *strings.Builder, s string) {
	if s == "" {
		return
	}
	b.WriteString(s)
	if !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}
