package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// maxRow limits the bytes of a row; larger ones are left out.
	maxRow = 64 << 20
	// maxDepth is more than the depth of any tree in a file that fits on a disk.
	maxDepth = 24
)

var (
	errDamaged  = errors.New("a page is damaged")
	errRowLarge = errors.New("a row is larger than 64 MiB")
)

// pager reads the pages of a file and the trees in them.
type pager struct {
	ctx      context.Context
	bytes    io.ReaderAt
	size     int64 // bytes of a page
	usable   int   // bytes of a page without the reserved space
	pages    int64
	overflow int64 // bytes of long rows that may still be read: limited, because rows can claim each other's pages
}

// page reads a page; numbers start at 1.
func (p *pager) page(n uint32, into []byte) ([]byte, error) {
	if n == 0 || int64(n) > p.pages {
		return nil, errDamaged
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	if into == nil {
		into = make([]byte, p.size)
	}
	if _, err := p.bytes.ReadAt(into, int64(n-1)*p.size); err != nil && err != io.EOF {
		return nil, err
	}
	return into, nil
}

// varint decodes SQLite's integer of one to nine bytes; n is 0 if it is truncated.
func varint(b []byte) (v int64, n int) {
	var u uint64
	for i := 0; i < 8 && i < len(b); i++ {
		u = u<<7 | uint64(b[i]&0x7F)
		if b[i] < 0x80 {
			return int64(u), i + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return int64(u<<8 | uint64(b[8])), 9
}

// Kinds of pages in a tree.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

// tree calls f for the rows of a table, in order. For a table without rowid, the rows are the keys of an index. It
// skips damage where possible, and returns the first error of this kind at the end.
func (p *pager) tree(root uint32, f func(rowid int64, payload []byte) error) error {
	w := walker{pager: p, f: f, seen: make([]uint64, p.pages/64+1)}
	if err := w.walk(root, 0); err != nil {
		return err
	}
	return w.damage
}

type walker struct {
	*pager
	f      func(rowid int64, payload []byte) error
	seen   []uint64
	damage error
	spare  [maxDepth + 1][]byte
}

// broken stores the first damage and continues the walk; it returns errors that must end it.
func (w *walker) broken(err error) error {
	if !errors.Is(err, errDamaged) && !errors.Is(err, errRowLarge) {
		return err
	}
	if w.damage == nil {
		w.damage = err
	}
	return nil
}

func (w *walker) walk(n uint32, depth int) error {
	if depth > maxDepth || int64(n) > w.pages || w.seen[n/64]&(1<<(n%64)) != 0 {
		return w.broken(errDamaged)
	}
	w.seen[n/64] |= 1 << (n % 64)
	page, err := w.page(n, w.spare[depth])
	if err != nil {
		return w.broken(err)
	}
	w.spare[depth] = page
	start := 0
	if n == 1 {
		start = 100
	}
	kind, cells := page[start], int(binary.BigEndian.Uint16(page[start+3:]))
	interior := kind == interiorTable || kind == interiorIndex
	if !interior && kind != leafTable && kind != leafIndex {
		return w.broken(errDamaged)
	}
	pointers := start + 8
	if interior {
		pointers += 4
	}
	if pointers+2*cells > w.usable {
		return w.broken(errDamaged)
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[pointers+2*i:]))
		if at < pointers || at+4 > w.usable {
			if err := w.broken(errDamaged); err != nil {
				return err
			}
			continue
		}
		if interior {
			if err := w.walk(binary.BigEndian.Uint32(page[at:]), depth+1); err != nil {
				return err
			}
			at += 4
		}
		if kind == interiorTable {
			continue
		}
		if err := w.cell(page[at:w.usable], kind == leafTable); err != nil {
			if err = w.broken(err); err != nil {
				return err
			}
		}
	}
	if interior {
		return w.walk(binary.BigEndian.Uint32(page[start+8:]), depth+1)
	}
	return nil
}

// cell reads one row.
func (w *walker) cell(b []byte, table bool) error {
	size, n := varint(b)
	if n == 0 || size < 0 {
		return errDamaged
	}
	b = b[n:]
	var rowid int64
	if table {
		if rowid, n = varint(b); n == 0 {
			return errDamaged
		}
		b = b[n:]
	}
	payload, err := w.payload(b, size, table)
	if err != nil {
		return err
	}
	return w.f(rowid, payload)
}

// payload returns the bytes of a row: those in its cell and those on its overflow pages.
func (w *walker) payload(b []byte, size int64, table bool) ([]byte, error) {
	u := int64(w.usable)
	largest := (u-12)*64/255 - 23
	if table {
		largest = u - 35
	}
	if size <= largest {
		if size > int64(len(b)) {
			return nil, errDamaged
		}
		return b[:size], nil
	}
	least := (u-12)*32/255 - 23
	local := least + (size-least)%(u-4)
	if local > largest {
		local = least
	}
	if local+4 > int64(len(b)) || size > w.pages*w.size {
		return nil, errDamaged
	}
	if size > maxRow {
		return nil, errRowLarge
	}
	if w.overflow -= size; w.overflow < 0 {
		return nil, fmt.Errorf("%w: rows overlap", errDamaged)
	}
	payload := append(make([]byte, 0, size), b[:local]...)
	next := binary.BigEndian.Uint32(b[local:])
	buf := make([]byte, w.size)
	for int64(len(payload)) < size {
		page, err := w.page(next, buf)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		payload = append(payload, page[4:4+min(u-4, size-int64(len(payload)))]...)
	}
	return payload, nil
}
