package fleet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// columns returns the names of the CSV columns. The first is the job's id, the last the run's.
func (o *Output) columns() []string {
	names := []string{"id", "status"}
	taken := []string{
		"id", "status", "guess", "cut_replies", "evidence", "grounding", "not_found", "reason", "cost",
		"tokens", "seconds", "run_status", "run",
	}
	if len(o.fields) == 0 || o.fields[0] == plainAnswer {
		names, taken = append(names, "answer"), append(taken, "answer")
	}
	for _, f := range o.fields {
		if f == plainAnswer {
			continue
		}
		if slices.Contains(taken, f) {
			f = "answer." + f
		}
		names = append(names, guarded(f))
	}
	return append(names,
		"reason", "cost", "tokens", "seconds", "guess", "cut_replies", "evidence", "grounding", "not_found",
		"run_status", "run")
}

func (o *Output) readCSV(data []byte, keep resultFilter) ([]byte, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	names := o.columns()
	var kept bytes.Buffer
	w := csv.NewWriter(&kept)
	for {
		row, err := r.Read()
		whole := r.InputOffset() > 0 && data[r.InputOffset()-1] == '\n'
		if errors.Is(err, io.EOF) || !whole && len(row) > 0 || err != nil && r.InputOffset() >= int64(len(data)) {
			break // the rest was truncated
		}
		switch {
		case err != nil:
			return nil, err
		case !o.head && !slices.Equal(row, names):
			return nil, fmt.Errorf("its columns are %s", strings.Join(row, ", "))
		case !o.head:
			o.head = true
			_ = w.Write(row)
			continue
		case len(row) != len(names):
			return nil, fmt.Errorf("a row has %d columns", len(row))
		}
		id, run := unguarded(row[0]), row[len(row)-1]
		stays, err := keep(id, run, row[1])
		if err != nil {
			return nil, err
		}
		if _, twice := o.written[id]; !twice && stays {
			o.written[id] = run
			_ = w.Write(row) // writes to memory
		}
	}
	w.Flush()
	return kept.Bytes(), nil
}

// row writes a result as CSV, preceded by the column names if it is the first.
func (o *Output) row(to io.Writer, r Result) error {
	w := csv.NewWriter(to)
	if !o.head {
		if err := w.Write(o.columns()); err != nil {
			return err
		}
		o.head = true
	}
	row := []string{guarded(r.ID), string(r.State)}
	if len(o.fields) == 0 {
		row = append(row, guarded(r.Answer))
	} else {
		row = append(row, cells(r, o.fields)...)
	}
	cost := ""
	if len(r.Unpriced) == 0 {
		cost = strconv.FormatFloat(r.Cost, 'f', -1, 64)
	}
	guess, incomplete, verdict := "", "", ""
	if r.Guess {
		guess = "yes"
	}
	if r.CutReplies > 0 {
		incomplete = strconv.Itoa(r.CutReplies)
	}
	if r.Grounding != nil {
		verdict = r.Grounding.Verdict
	}
	row = append(row, guarded(r.Reason), cost, strconv.FormatInt(r.Tokens, 10),
		strconv.FormatFloat(r.Duration.Seconds(), 'f', 3, 64),
		guess, incomplete, guarded(passages(r.Evidence)), verdict, guarded(strings.Join(r.Grounding.Missing(), "\n")),
		r.line().RunStatus, r.line().Run)
	if err := w.Write(row); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// passages lists pieces of evidence for people: the location and the words of each, one per line.
func passages(all []trajectory.Evidence) string {
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = fmt.Sprintf("%s %s:%d “%s”", e.Mark, e.Source(), e.Line, text.Line(e.Quote, 500))
	}
	return strings.Join(lines, "\n")
}

// cells returns the fields of a typed answer: texts unchanged, the rest as JSON.
func cells(r Result, fields []string) []string {
	row := make([]string, len(fields))
	var object map[string]json.RawMessage
	if fields[0] == plainAnswer && !r.Typed {
		row[0] = guarded(r.Answer)
		return row
	}
	if r.State != Done || json.Unmarshal([]byte(r.Answer), &object) != nil {
		return row
	}
	for i, f := range fields {
		var text string
		switch raw := object[f]; {
		case len(raw) == 0 || string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			row[i] = guarded(text)
		default:
			row[i] = guarded(string(raw))
		}
	}
	return row
}

// guarded keeps spreadsheets from treating a text as a formula, because text by a model or from a file must not be
// computed. Where semicolons or tabs separate fields, quotes do not hold a text together, so each part of it could
// begin a cell.
func guarded(text string) string {
	var b strings.Builder
	for rest, first := text, true; rest != ""; first = false {
		part := rest
		if end := strings.IndexAny(rest, ";\t\r\n"); end >= 0 {
			part = rest[:end+1]
		}
		line := !first && strings.HasSuffix(b.String(), "\n")
		if first && strings.ContainsRune("\t\r", rune(part[0])) || isFormula(part, line) {
			b.WriteByte('\'')
		}
		b.WriteString(part)
		rest = rest[len(part):]
	}
	return b.String()
}

// isFormula reports whether a spreadsheet would compute a cell that begins with part. A line that begins with a
// sign is far more often an item of a list than a formula.
func isFormula(part string, line bool) bool {
	// Quotes and invisible characters before a formula do not hide it from a spreadsheet.
	part = strings.TrimLeftFunc(part, func(r rune) bool { return r == '"' || unicode.In(r, unicode.Cc, unicode.Cf) })
	first, _ := utf8.DecodeRuneInString(part)
	signs := "+-＋－"
	if line {
		signs = ""
	}
	if !strings.ContainsRune("=@＝＠"+signs, first) {
		return false
	}
	_, err := strconv.ParseFloat(strings.TrimRight(part, "\";\t\r\n"), 64)
	return err != nil
}

// unguarded reverses guarded.
func unguarded(text string) string {
	bare := guards().ReplaceAllString(text, "$1")
	if guarded(bare) == text {
		return bare
	}
	return text
}

// guards matches the apostrophes that guarded may have added.
var guards = startup.Regexp(`(^|[;\t\r\n])'`)

// plainAnswer is the column of answers without a schema beside the fields of those with one.
const plainAnswer = ""

// Columns returns the fields of typed answers of jobs, in the order of their first appearance, after an empty one for
// the answers of jobs without a schema if there are such, too.
func Columns(jobs []Job) []string {
	var names []string
	seen := map[string]bool{}
	for _, j := range jobs {
		if j.Schema == "" || seen["schema "+j.Schema] {
			continue
		}
		seen["schema "+j.Schema] = true
		fields, err := runner.Fields(j.Schema)
		if err != nil {
			continue // Check reports it
		}
		for _, f := range fields {
			if f != plainAnswer && !seen[f] {
				seen[f] = true
				names = append(names, f)
			}
		}
	}
	if len(names) > 0 && slices.ContainsFunc(jobs, func(j Job) bool { return j.Schema == "" }) {
		names = slices.Insert(names, 0, plainAnswer)
	}
	return names
}
