// Package sqlite converts SQLite databases without SQLite: it reads pages and rows directly and runs no queries.
package sqlite

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
)

// maxObjects limits the tables and views of a database.
const maxObjects = 20_000

type database struct {
	pager
	encoding uint32 // 1: UTF-8, 2 and 3: UTF-16
}

// object is a table or a view of the schema.
type object struct {
	kind, name, sql string
	root            uint32
}

// Convert is the converter for databases, with a part for each table: its statement, then its rows as CSV with a
// header.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("sqlite"); err != nil {
		return err
	}
	head := make([]byte, 100)
	if _, err := src.Bytes.ReadAt(head, 0); err != nil {
		return errors.New("the database is cut off")
	}
	size := int64(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 64 << 10
	}
	usable := int(size) - int(head[20])
	if size < 512 || size&(size-1) != 0 || usable < 480 {
		return errors.New("the database is damaged or encrypted: its page size is invalid")
	}
	d := &database{
		pager: pager{
			ctx: ctx, bytes: src.Bytes, size: size, usable: usable, pages: (src.Size + size - 1) / size,
			overflow: 4 * src.Size,
		},
		encoding: binary.BigEndian.Uint32(head[56:]),
	}
	objects, err := d.schema()
	if err != nil && len(objects) == 0 {
		return fmt.Errorf("its list of tables cannot be read: %w", err)
	}
	if err != nil {
		if err := out.Note("some tables are missing: " + err.Error()); err != nil {
			return err
		}
	}
	if head[18] == 2 || head[19] == 2 {
		if err := out.Note("changes that exist only in its -wal file are missing"); err != nil {
			return err
		}
	}
	if len(objects) == 0 {
		return format.ErrNoText
	}
	for i, o := range objects {
		if err := d.part(i+1, o, out); err != nil {
			return err
		}
	}
	return nil
}

// schema returns the tables and views.
func (d *database) schema() (objects []object, err error) {
	err = d.tree(1, func(_ int64, payload []byte) error {
		v, err := d.record(payload, nil)
		if err != nil || len(v) < 5 {
			return errors.Join(errDamaged, err)
		}
		root, _ := strconv.ParseUint(v[3], 10, 32)
		o := object{kind: v[0], name: v[1], sql: v[4], root: uint32(root)}
		if (o.kind == "table" || o.kind == "view") && !strings.HasPrefix(o.name, "sqlite_") &&
			len(objects) < maxObjects {
			objects = append(objects, o)
		}
		return nil
	})
	return objects, err
}

func (d *database) part(number int, o object, out format.Output) error {
	if err := out.Begin(format.Part{Kind: format.Table, Number: number, Name: o.name}); err != nil {
		return err
	}
	if _, err := io.WriteString(out, strings.TrimSpace(o.sql)+";\n"); err != nil {
		return err
	}
	if o.root == 0 {
		if o.kind == "view" {
			return out.Note("view " + o.name + " is shown as its query, without rows")
		}
		return out.Note("table " + o.name + " is virtual; its contents are in other tables")
	}
	err := d.rows(o, out)
	if errors.Is(err, errDamaged) || errors.Is(err, errRowLarge) {
		return out.Note("rows of table " + o.name + " are missing: " + err.Error())
	}
	return err
}

// rows writes the rows of a table.
func (d *database) rows(o object, out format.Output) error {
	t := parseTable(o.sql)
	buffered := bufio.NewWriterSize(out, 64<<10)
	w := csv.NewWriter(buffered)
	// Columns computed on demand exist only in the statement.
	fields, computed, place := []string{}, []string{}, make([]int, len(t.columns))
	for i, c := range t.columns {
		place[i] = len(fields)
		if c.virtual {
			computed = append(computed, c.name)
		} else {
			fields = append(fields, c.name)
		}
	}
	if len(computed) > 0 {
		note := fmt.Sprintf("table %s: columns computed on demand are not in the file, and are left out: %s",
			o.name, strings.Join(computed, ", "))
		if err := out.Note(note); err != nil {
			return err
		}
	}
	if _, err := buffered.WriteString("\n"); err != nil {
		return err
	}
	if err := write(w, fields); err != nil {
		return err
	}
	stored := make([]column, len(t.stored))
	for i, c := range t.stored {
		stored[i] = t.columns[c]
	}
	err := d.tree(o.root, func(rowid int64, payload []byte) error {
		values, err := d.record(payload, stored)
		if err != nil {
			return err
		}
		for i := range fields {
			fields[i] = ""
		}
		for i := range t.stored {
			c := place[t.stored[i]]
			switch {
			case stored[i].rowid:
				fields[c] = strconv.FormatInt(rowid, 10)
			case i < len(values):
				fields[c] = values[i]
			default:
				fields[c] = stored[i].missing
			}
		}
		return write(w, append(fields, values[min(len(t.stored), len(values)):]...))
	})
	w.Flush()
	if ferr := errors.Join(w.Error(), buffered.Flush()); ferr != nil {
		return ferr
	}
	return err
}

// write writes a row.
func write(w *csv.Writer, fields []string) error {
	if err := w.Write(fields); err != nil {
		return err
	}
	return w.Error()
}
