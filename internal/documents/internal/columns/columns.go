// Package columns reads Parquet files: their schema, and their rows as CSV, or as JSON lines where rows hold lists and records.
package columns

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/gorlm/rlm/internal/documents/format"
)

// batch is how many rows are in memory as a whole.
const batch = 64

// Parquet is the converter of Parquet files.
func Parquet(ctx context.Context, src format.Source, out format.Output) (err error) {
	if err := out.Kind("parquet"); err != nil {
		return err
	}
	// The library trusts what a footer says in more places than it checks.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	if err := checkFooter(src); err != nil {
		return err
	}
	f, err := parquet.OpenFile(src.Bytes, src.Size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("the file is damaged or cut off: %w", err)
	}
	if err := out.Begin(format.Part{Kind: format.Table, Number: 1}); err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	if _, err := w.WriteString(strings.TrimSpace(f.Schema().String()) + "\n\n"); err != nil {
		return err
	}
	r := rows{ctx: ctx, out: w, root: newNode("", f.Schema(), 0, 0, new(int))}
	if r.root.flat() {
		r.csv = csv.NewWriter(w)
		if err := r.head(); err != nil {
			return err
		}
	}
	for i, group := range f.RowGroups() {
		if err := r.group(group); err != nil {
			if r.csv != nil {
				r.csv.Flush()
			}
			if werr := w.Flush(); werr != nil {
				return werr
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// What is damaged in one group of rows leaves the others whole.
			if err := out.Note(fmt.Sprintf("rows of group %d are missing: %v", i+1, err)); err != nil {
				return err
			}
		}
	}
	if r.csv != nil {
		r.csv.Flush()
	}
	return w.Flush()
}

// checkFooter looks at how long the footer says it is, before anybody makes room for it.
func checkFooter(src format.Source) error {
	const mark = "PAR1"
	var end [8]byte
	if _, err := src.Bytes.ReadAt(end[:], src.Size-int64(len(end))); src.Size < 12 || err != nil && err != io.EOF || string(end[4:]) != mark {
		return errors.New("the file is damaged or cut off: it has no footer")
	}
	if int64(binary.LittleEndian.Uint32(end[:])) > src.Size-12 {
		return errors.New("the file is damaged: its footer is longer than the file")
	}
	return nil
}

// rows writes rows as text.
type rows struct {
	ctx    context.Context
	out    *bufio.Writer
	csv    *csv.Writer // nil for JSON lines
	root   *node
	fields []string
	values [][]parquet.Value // of a row, by column
	line   []byte
}

func (r *rows) head() error {
	for _, n := range r.root.children {
		r.fields = append(r.fields, n.name)
	}
	return r.csv.Write(r.fields)
}

func (r *rows) group(g parquet.RowGroup) (err error) {
	in := g.Rows()
	defer func() {
		err = errors.Join(err, in.Close())
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	buf := make([]parquet.Row, batch)
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		n, err := in.ReadRows(buf)
		for _, row := range buf[:n] {
			if err := r.row(row); err != nil {
				return err
			}
		}
		if err == io.EOF || err == nil && n == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *rows) row(row parquet.Row) error {
	for len(r.values) < r.root.columns {
		r.values = append(r.values, nil)
	}
	for i := range r.values {
		r.values[i] = r.values[i][:0]
	}
	for _, v := range row {
		if c := v.Column(); c >= 0 && c < len(r.values) {
			r.values[c] = append(r.values[c], v)
		}
	}
	if r.csv != nil {
		for i, n := range r.root.children {
			r.fields[i] = ""
			if values := r.values[n.first]; len(values) > 0 && !values[0].IsNull() {
				r.fields[i], _ = n.text(values[0])
			}
		}
		return r.csv.Write(r.fields)
	}
	r.line = append(r.root.group(r.line[:0], r.values), '\n')
	_, err := r.out.Write(r.line)
	return err
}
