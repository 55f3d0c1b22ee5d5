package repl

import (
	"slices"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Bounds of the tables whose rows a notebook keeps for those who sort and filter them: the newest stay.
const (
	mostTables = 32
	tablesRoom = 64 << 20 // bytes of their texts
)

// keepTables keeps the rows of tables that a cell put out a part of.
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

// Table returns rows of a table that a cell put out; ok is false if they are not kept. Not while a cell runs.
func (n *Notebook) Table(q bundle.Query) (p bundle.Page, ok bool) {
	at := slices.IndexFunc(n.tables, func(r *bundle.Rows) bool { return r.Key == q.Key })
	if at < 0 {
		return p, false
	}
	return n.tables[at].Page(q), true
}
