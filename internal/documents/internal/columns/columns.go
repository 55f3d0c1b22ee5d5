// Package columns converts Parquet files: the schema, and the rows as CSV, or as JSON Lines if rows contain lists
// and records.
package columns

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Parquet is the converter for Parquet files.
func Parquet(ctx context.Context, src format.Source, out format.Output) (err error) {
	if err := out.Kind("parquet"); err != nil {
		return err
	}
	// The library that parses the footer trusts unchecked values in some places, and panics.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	metadata := newMetadataReader(src.Bytes)
	footer, err := readFooter(src, metadata)
	if err != nil {
		return err
	}
	root, leaves, err := newTree(footer.Schema)
	if err != nil {
		return err
	}
	if err := out.Begin(format.Part{Kind: format.Table, Number: 1}); err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	if _, err := w.WriteString(root.String() + "\n\n"); err != nil {
		return err
	}
	r := rows{
		ctx: ctx, src: src, metadata: metadata, out: w, root: root, leaves: leaves,
		rooms: make([]pageRoom, len(leaves)), values: make([][]value, len(leaves)),
	}
	if r.csv = r.root.flat(); r.csv {
		r.head()
	}
	for i := range footer.RowGroups {
		if err := r.group(&footer.RowGroups[i]); err != nil {
			if werr := w.Flush(); werr != nil {
				return werr
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// Damage in one row group does not affect the others.
			if err := out.Note(fmt.Sprintf("rows of row group %d are missing: %v", i+1, err)); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// rows writes rows as text.
type rows struct {
	ctx      context.Context
	src      format.Source
	metadata *metadataReader
	out      *bufio.Writer
	csv      bool // otherwise JSON Lines
	root     *node
	leaves   []*node
	rooms    []pageRoom
	values   [][]value // values of the current row, by column
	line     []byte
	unpacker unpacker
}

func (r *rows) head() {
	for i, n := range r.root.children {
		r.field(i, []byte(n.name))
	}
	_ = r.out.WriteByte('\n')
}

// batch is how many rows are written between checks of the context.
const batch = 64

func (r *rows) group(g *rowGroup) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if len(g.Columns) != len(r.leaves) {
		return fmt.Errorf("it has %d columns, but its schema has %d", len(g.Columns), len(r.leaves))
	}
	chunks := make([]*chunk, len(r.leaves))
	for i, leaf := range r.leaves {
		if chunks[i], err = newChunk(leaf, r.src, r.metadata, &r.unpacker, &g.Columns[i], &r.rooms[i]); err != nil {
			return fmt.Errorf("%s: %w", leaf.name, err)
		}
	}
	for n := 0; ; n++ {
		if n%batch == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		there := 0
		for i, c := range chunks {
			if r.values[i], err = c.row(r.values[i][:0]); err != nil {
				return fmt.Errorf("%s: %w", c.leaf.name, err)
			}
			if len(r.values[i]) > 0 {
				there++
			}
		}
		switch {
		case there == 0:
			return nil
		case there < len(chunks):
			return errors.New("its columns have different lengths")
		}
		if err := r.row(); err != nil {
			return err
		}
	}
}

func (r *rows) row() error {
	if !r.csv {
		r.line = append(r.root.group(r.line[:0], r.values), '\n')
		_, err := r.out.Write(r.line)
		return err
	}
	for i, n := range r.root.children {
		r.field(i, n.bytes(r.values[n.first][0]))
	}
	return r.out.WriteByte('\n')
}

// field writes a field like encoding/csv, but without converting it to a string, which would copy large values.
// Errors are reported at the end of the row.
func (r *rows) field(i int, b []byte) {
	if i > 0 {
		_ = r.out.WriteByte(',')
	}
	first, _ := utf8.DecodeRune(b)
	if !bytes.ContainsAny(b, "\",\r\n") && !unicode.IsSpace(first) && string(b) != `\.` {
		_, _ = r.out.Write(b)
		return
	}
	_ = r.out.WriteByte('"')
	for {
		before, after, more := bytes.Cut(b, []byte{'"'})
		_, _ = r.out.Write(before)
		if !more {
			break
		}
		_, _ = r.out.WriteString(`""`)
		b = after
	}
	_ = r.out.WriteByte('"')
}
