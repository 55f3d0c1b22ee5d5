package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// JSON prints a value as indented JSON.
func (o *Output) JSON(v any) error {
	if err := o.encode(v, "  "); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// JSONLine prints a value as one line of JSON.
func (o *Output) JSONLine(v any) error { return o.encode(v, "") }

func (o *Output) encode(v any, indent string) error {
	enc := json.NewEncoder(o)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// Table prints aligned columns. lines writes the lines, with a tab after each cell. If the terminal is too narrow,
// the cells of a line are joined and the line is broken between words.
func (o *Output) Table(lines func(w io.Writer)) error {
	var raw, b strings.Builder
	lines(&raw)
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	io.WriteString(w, raw.String())
	w.Flush() // it writes to memory and cannot fail
	text := b.String()
	if o.Fit(text) != Clean(text) {
		text = narrowed(raw.String())
	}
	if err := o.Styled(o.Fit(text)); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// narrowed joins the cells of each line with dots. Empty cells are left out.
func narrowed(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		blank := func(s string) bool { return strings.TrimSpace(s) == "" }
		cells := slices.DeleteFunc(strings.Split(strings.TrimRight(line, "\n"), "\t"), blank)
		b.WriteString(strings.Join(cells, " · ") + "\n")
	}
	return b.String()
}
