package html

import "golang.org/x/net/html/atom"

// markBlocks records that the open cell contains more than a table field may.
func (r *renderer) markBlocks() {
	if n := len(r.tables); n > 0 {
		r.tables[n-1].blocks = true
	}
}

// markList records that the open cell contains a list.
func (r *renderer) markList() {
	if n := len(r.tables); n > 0 {
		r.tables[n-1].lists = true
	}
}

func (r *renderer) beginTable(attrs attributes) {
	r.heading = false
	if len(r.tables) >= maxNested {
		r.tooDeep++
		r.block(1)
		return
	}
	r.markBlocks()
	r.tables = append(r.tables,
		&table{outer: r.flow, layout: attrs.get("role") == "presentation" || attrs.get("role") == "none"})
}

func (r *renderer) endTable() {
	r.endLink()
	t := r.tables[len(r.tables)-1]
	t.end()
	r.tables = r.tables[:len(r.tables)-1]
	r.flow = t.outer
}

func (r *renderer) openInTable(tag atom.Atom, attrs attributes) {
	r.endLink()
	r.heading = false
	if len(r.tables) == 0 || r.tooDeep > 0 {
		r.block(1)
		return
	}
	t := r.tables[len(r.tables)-1]
	switch tag {
	case atom.Tr:
		t.endRow()
		t.beginRow()
		r.flow = t.outer
	case atom.Caption:
		t.outer.block(2)
	default:
		t.beginCell(tag == atom.Th, number(attrs.get("colspan"), 1), number(attrs.get("rowspan"), 1))
		r.flow = t.flow
	}
}

func (r *renderer) shutInTable(tag atom.Atom) {
	r.endLink()
	if r.tooDeep > 0 {
		if tag == atom.Table {
			r.tooDeep--
		}
		return
	}
	if len(r.tables) == 0 {
		return
	}
	t := r.tables[len(r.tables)-1]
	switch tag {
	case atom.Table:
		r.endTable()
	case atom.Tr:
		t.endRow()
		r.flow = t.outer
	default:
		t.endCell()
		r.flow = t.outer
	}
}
