package text

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ParseCSV reads text with a header line into one map for each row. The separator is the one given, or else what the
// header has most of: comma, tab, semicolon or bar. A row with another number of fields than the header is an error that names its line.
func ParseCSV(text, separator string) ([]map[string]string, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	switch runes := []rune(separator); len(runes) {
	case 0:
		r.Comma = separatorOf(text)
	case 1:
		r.Comma = runes[0]
	default:
		return nil, fmt.Errorf("a separator is one character, not %q", separator)
	}
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	header = distinct(header)
	var rows []map[string]string
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if len(fields) != len(header) {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d has %d fields, and the header has %d (%s)", line, len(fields), len(header), strings.Join(header, ", "))
		}
		row := make(map[string]string, len(header))
		for i, name := range header {
			row[name] = fields[i]
		}
		rows = append(rows, row)
	}
}

// separatorOf is the separator that the first line has most of.
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

// distinct makes the names of columns different from each other: name, name_2, name_3.
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
