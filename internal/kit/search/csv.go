package search

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/units"
)

// BadLine is a row of a table that was left out.
type BadLine struct {
	Line int // line number in the text, from 1
	Why  string
}

func (b BadLine) String() string { return fmt.Sprintf("line %d %s", b.Line, b.Why) }

// before matches a line before the header: "sep=;", which Excel writes and expects, and the range of a sheet,
// "B3:F120".
var before = startup.Regexp(`^(?:"?[sS][eE][pP]=(.)"?|\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+(?: \(.*\))?)\s*$`)

// ParseCSV parses text with a header line into one map per row. The default separator is the most frequent one in
// the header: comma, tab, semicolon or bar. A byte order mark, empty lines, comment lines (#), sep= and the range
// of a sheet are ignored before the header. A row that does not fit the header is left out and listed in bad; if no
// row fits, the error is that of the first one.
func ParseCSV(text, separator string) (rows []map[string]string, bad []BadLine, err error) {
	t := table{text: text, line: 1}
	t.skipToHeader()
	for {
		line, _, _ := strings.Cut(t.text, "\n")
		m := before().FindStringSubmatch(line)
		if m == nil {
			break
		}
		if separator == "" {
			separator = m[1]
		}
		t.skipLine()
		t.skipToHeader()
	}
	switch runes := []rune(separator); len(runes) {
	case 0:
		t.comma = separatorOf(t.text)
	case 1:
		t.comma = runes[0]
	default:
		return nil, nil, fmt.Errorf("a separator is one character, not %q", separator)
	}
	header, at, err := t.read()
	if errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("line %d, the header, %w", at, err)
	}
	header = distinct(header)
	for {
		fields, at, err := t.read()
		switch {
		case errors.Is(err, io.EOF):
			if len(rows) == 0 && len(bad) > 0 {
				return nil, nil, errors.New(bad[0].String())
			}
			return rows, bad, nil
		case err != nil:
			bad = append(bad, BadLine{at, err.Error()})
		case len(fields) != len(header):
			if !strings.HasPrefix(fields[0], "#") {
				bad = append(bad, BadLine{at, fmt.Sprintf("has %s, and the header has %d (%s)",
					units.Of(len(fields), "field"), len(header), strings.Join(header, ", "))})
			}
		default:
			row := make(map[string]string, len(header))
			for i, name := range header {
				row[name] = fields[i]
			}
			rows = append(rows, row)
		}
	}
}

// table is a text that is read row by row. An unreadable line is skipped, without affecting later ones.
type table struct {
	text   string
	line   int // line number of the beginning of text
	comma  rune
	reader *csv.Reader // reads text; nil after an unreadable line
}

// read reads a row and returns the line in which it begins.
func (t *table) read() (fields []string, line int, err error) {
	if t.reader == nil {
		t.reader = csv.NewReader(strings.NewReader(t.text))
		t.reader.FieldsPerRecord = -1
		t.reader.Comma = t.comma
	}
	fields, err = t.reader.Read()
	var wrong *csv.ParseError
	switch {
	case err == nil:
		first, _ := t.reader.FieldPos(0)
		return fields, t.line + first - 1, nil
	case !errors.As(err, &wrong):
		return nil, 0, err
	}
	line = t.line + wrong.StartLine - 1
	for range wrong.StartLine {
		t.skipLine()
	}
	t.reader = nil
	return nil, line, fmt.Errorf("cannot be read: %w", wrong.Err)
}

func (t *table) skipLine() {
	_, t.text, _ = strings.Cut(t.text, "\n")
	t.line++
}

// skipToHeader skips whatever may precede the header. A line that begins with # and has as many fields as the next
// one is the header itself.
func (t *table) skipToHeader() {
	t.text = strings.TrimPrefix(t.text, "\ufeff")
	for t.text != "" {
		line, rest, _ := strings.Cut(t.text, "\n")
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		next, _, _ := strings.Cut(rest, "\n")
		comment := strings.HasPrefix(text, "#") &&
			!(isName(text[1:]) && fieldsOf(text) > 1 && fieldsOf(text) == fieldsOf(next))
		if text != "" && !comment {
			t.text = strings.TrimPrefix(t.text, "\ufeff")
			return
		}
		t.skipLine()
	}
}

// isName reports whether a text begins like a column name, right after the #.
func isName(s string) bool { return s != "" && s[0] != ' ' && s[0] != '#' && s[0] != '!' }

// fieldsOf estimates the number of fields in a line.
func fieldsOf(line string) int { return strings.Count(line, string(separatorOf(line))) + 1 }

// separatorOf returns the most frequent separator in the first line.
func separatorOf(text string) rune {
	line, _, _ := strings.Cut(text, "\n")
	best := ','
	for _, c := range "\t;|" {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// distinct makes column names unique: name, name_2, name_3.
func distinct(header []string) []string {
	seen := map[string]bool{}
	out := make([]string, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		unique := name
		for n := 2; seen[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		seen[unique], out[i] = true, unique
	}
	return out
}
