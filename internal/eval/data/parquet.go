package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// rowsOf returns the rows of a Parquet file as JSON Lines. convert converts the file in a locked-down worker to a
// text with the schema, an empty line, and the rows: as CSV if no field holds a list or a record, otherwise as
// JSON.
func rowsOf(
	ctx context.Context, path string, convert func(context.Context, string, func(*io.SectionReader) error) error,
) (*os.File, error) {
	return temporary(func(w *bufio.Writer) error {
		return convert(ctx, path, func(text *io.SectionReader) error {
			return copyRows(w, bufio.NewReaderSize(text, 256<<10))
		})
	})
}

// temporary returns a file that contains what write writes. If the system can remove open files, the file is
// removed now.
func temporary(write func(*bufio.Writer) error) (*os.File, error) {
	f, err := os.CreateTemp("", ".rlm-items-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // otherwise it is removed when it is closed
	w := bufio.NewWriterSize(f, 256<<10)
	if err := errors.Join(write(w), w.Flush()); err != nil {
		return nil, errors.Join(err, removed(f))
	}
	return f, nil
}

// removed closes a temporary file, and removes it if it is still there.
func removed(f *os.File) error {
	err := f.Close()
	_ = os.Remove(f.Name())
	return err
}

// copyRows writes the rows of a table's text as JSON Lines.
func copyRows(w *bufio.Writer, r *bufio.Reader) error {
	columns, err := schemaOf(r)
	if err != nil {
		return err
	}
	if columns == nil { // the rows are JSON already
		_, err := io.Copy(w, r)
		return err
	}
	t := table{r: r, w: w, columns: columns}
	if err := t.skipHead(); err != nil {
		return err
	}
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		if err := t.row(); err != nil {
			return fmt.Errorf("reading its rows: %w", err)
		}
	}
}

// column is a field of a flat schema.
type column struct {
	key  []byte // the name as JSON, with the colon
	bare bool   // its values are numbers or booleans, which are not quoted
}

// schemaOf reads the schema in the format of Parquet's tools; the columns are nil if it is not flat.
func schemaOf(r *bufio.Reader) (columns []column, err error) {
	flat, inside := true, false
	for {
		line, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it begins like Parquet but contains no table: it is damaged or cut off")
		}
		if err != nil {
			return nil, fmt.Errorf("reading its schema: %w", err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "message "):
			inside = true
		case !inside: // metadata, and the line that marks the table
		case line == "":
			if !flat {
				return nil, nil
			}
			return columns, nil
		case strings.HasSuffix(line, "{") || strings.HasPrefix(line, "\trepeated "):
			flat = false
		case strings.HasPrefix(line, "\t"):
			c, err := columnOf(line)
			if err != nil {
				return nil, err
			}
			columns = append(columns, c)
		}
	}
}

// columnOf parses "optional int64 context_len;" or "required binary question (STRING) = 3;".
func columnOf(line string) (column, error) {
	words := strings.SplitN(strings.TrimSpace(line), " ", 3)
	if len(words) < 3 {
		return column{}, fmt.Errorf("its schema has a line without a name: %q", line)
	}
	name := strings.TrimSuffix(words[2], ";")
	if at := strings.LastIndex(name, " = "); at > 0 {
		name = name[:at]
	}
	logical := false
	if at := strings.LastIndex(name, " ("); at > 0 && strings.HasSuffix(name, ")") {
		name, logical = name[:at], !strings.HasPrefix(name[at:], " (INT")
	}
	key, err := json.Marshal(name)
	kind := words[1]
	return column{append(key, ':'), !logical &&
		(strings.HasPrefix(kind, "int") || kind == "double" || kind == "float" || kind == "boolean")}, err
}

// table converts CSV as written by encoding/csv to JSON Lines, byte by byte, because a value may be larger than
// memory allows.
type table struct {
	r       *bufio.Reader
	w       *bufio.Writer
	columns []column
	number  []byte
}

func (t *table) skipHead() error {
	w := t.w
	t.w = bufio.NewWriter(io.Discard)
	err := t.row()
	t.w = w
	return err
}

// row writes one row. A write error is returned by the last write.
func (t *table) row() error {
	for i, c := range t.columns {
		_ = t.w.WriteByte("{,"[min(i, 1)])
		_, _ = t.w.Write(c.key)
		end, err := t.value(c.bare)
		if err != nil {
			return err
		}
		if last := i == len(t.columns)-1; last != (end == '\n') {
			return fmt.Errorf("a row does not have %d values", len(t.columns))
		}
	}
	_, err := t.w.WriteString("}\n")
	return err
}

// value writes one value and returns the character that ended it: a comma or a line end.
func (t *table) value(bare bool) (end byte, err error) {
	t.number = t.number[:0]
	if !bare {
		_ = t.w.WriteByte('"')
	}
	put := func(c byte) {
		switch {
		case bare:
			t.number = append(t.number, c)
		case c == '"' || c == '\\':
			_ = t.w.WriteByte('\\')
			_ = t.w.WriteByte(c)
		case c < ' ':
			_, _ = fmt.Fprintf(t.w, `\u%04x`, c)
		default:
			_ = t.w.WriteByte(c)
		}
	}
	c, err := t.r.ReadByte()
	for quoted := err == nil && c == '"'; quoted; {
		if c, err = t.r.ReadByte(); err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if c == '"' {
			if c, err = t.r.ReadByte(); err == nil && c == '"' {
				put(c)
				continue
			}
			break
		}
		put(c)
	}
	for ; err == nil && c != ',' && c != '\n'; c, err = t.r.ReadByte() {
		put(c)
	}
	switch {
	case errors.Is(err, io.EOF):
		c = '\n'
	case err != nil:
		return 0, err
	}
	switch number := bytes.TrimSpace(t.number); {
	case !bare:
		_ = t.w.WriteByte('"')
	case json.Valid(number):
		_, _ = t.w.Write(number)
	default: // empty, or not a number
		_, _ = t.w.WriteString("null")
	}
	return c, nil
}
