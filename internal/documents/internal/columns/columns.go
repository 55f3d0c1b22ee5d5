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

	"github.com/parquet-go/parquet-go/encoding/thrift"
	parquet "github.com/parquet-go/parquet-go/format"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Parquet is the converter of Parquet files.
func Parquet(ctx context.Context, src format.Source, out format.Output) (err error) {
	if err := out.Kind("parquet"); err != nil {
		return err
	}
	// The library that reads the footer trusts what it says in more places than it checks.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	footer, err := readFooter(src)
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
	r := rows{ctx: ctx, src: src, out: w, root: root, leaves: leaves, values: make([][]value, len(leaves))}
	if r.root.flat() {
		r.csv = csv.NewWriter(w)
		if err := r.head(); err != nil {
			return err
		}
	}
	for i := range footer.RowGroups {
		if err := r.group(&footer.RowGroups[i]); err != nil {
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

// readFooter reads what stands at the end of the file: its schema, and where its groups of rows are.
func readFooter(src format.Source) (*parquet.FileMetaData, error) {
	var end [8]byte
	if _, err := src.Bytes.ReadAt(end[:], src.Size-int64(len(end))); src.Size < 12 || err != nil && err != io.EOF {
		return nil, errors.New("the file is damaged or cut off: it has no footer")
	}
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errCipher
	default:
		return nil, errors.New("the file is damaged or cut off: it has no footer")
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > src.Size-12 {
		return nil, errors.New("the file is damaged: its footer is longer than the file")
	}
	data := make([]byte, size)
	if n, err := src.Bytes.ReadAt(data, src.Size-8-size); n < len(data) {
		return nil, fmt.Errorf("read the footer: %w", err)
	}
	footer := new(parquet.FileMetaData)
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(data)).Decode(footer); err != nil {
		return nil, fmt.Errorf("the file is damaged or cut off: %w", err)
	}
	return footer, nil
}

// rows writes rows as text.
type rows struct {
	ctx      context.Context
	src      format.Source
	out      *bufio.Writer
	csv      *csv.Writer // nil for JSON lines
	root     *node
	leaves   []*node
	fields   []string
	values   [][]value // of a row, by column
	line     []byte
	unpacker unpacker
}

func (r *rows) head() error {
	for _, n := range r.root.children {
		r.fields = append(r.fields, n.name)
	}
	return r.csv.Write(r.fields)
}

// batch is how many rows are written before anybody asks whether to go on.
const batch = 64

func (r *rows) group(g *parquet.RowGroup) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if len(g.Columns) != len(r.leaves) {
		return fmt.Errorf("it has %d columns, the schema %d", len(g.Columns), len(r.leaves))
	}
	chunks := make([]*chunk, len(r.leaves))
	for i, leaf := range r.leaves {
		if chunks[i], err = newChunk(leaf, r.src, &r.unpacker, &g.Columns[i]); err != nil {
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
	if r.csv != nil {
		for i, n := range r.root.children {
			r.fields[i] = ""
			if v := r.values[n.first][0]; !v.null {
				r.fields[i], _ = n.text(v)
			}
		}
		return r.csv.Write(r.fields)
	}
	r.line = append(r.root.group(r.line[:0], r.values), '\n')
	_, err := r.out.Write(r.line)
	return err
}
