package repl

import (
	"slices"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Limits of the tables whose rows a notebook keeps, so that readers can sort and filter them. The oldest are
// dropped first.
const (
	mostTables = 32
	tablesRoom = 64 << 20 // bytes of text in all tables
)

// keepTables keeps the rows of tables that a cell displayed only in part.
func (n *Notebook) keepTables(items []bundle.Item) {
	for _, i := range items {
		if i.Whole == nil || i.Whole.Size > tablesRoom {
			continue
		}
		n.tables = slices.DeleteFunc(n.tables, func(r *bundle.Rows) bool { return r.Key == i.Whole.Key })
		n.tables = append(n.tables, i.Whole)
	}
	size := 0
	for at := len(n.tables) - 1; at >= 0; at-- {
		if size += n.tables[at].Size; size > tablesRoom || len(n.tables)-at > mostTables {
			n.tables = slices.Delete(n.tables, 0, at+1)
			return
		}
	}
}

// Table returns rows of a table that a cell displayed; ok is false if the table is no longer kept. Table must not
// be called while a cell runs.
func (n *Notebook) Table(q bundle.Query) (p bundle.Page, ok bool) {
	at := slices.IndexFunc(n.tables, func(r *bundle.Rows) bool { return r.Key == q.Key })
	if at < 0 {
		return p, false
	}
	return n.tables[at].Page(q), true
}
