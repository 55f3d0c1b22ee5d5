// Package drawing converts DrawingML in documents, slides and sheets: charts to tables of their values, diagrams to
// lists.
package drawing

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// maxPoints limits the values of a chart.
const maxPoints = 100_000

// Graphic writes the chart or diagram to which the current element, c:chart or dgm:relIds, refers. If it is
// unreadable, Graphic adds a note.
func Graphic(pkg *opc.Package, rels opc.Relationships, from *xmlread.Reader, w *markdown.Writer) error {
	id := from.Attr("r:id")
	if from.Name == "dgm:relIds" {
		id = from.Attr("r:dm")
	}
	return pkg.Damaged("a chart or diagram", pkg.Part(rels, id, func(r *xmlread.Reader) error {
		return r.Each(func() error {
			switch r.Name {
			case "c:chart":
				return chart(r, w)
			case "dgm:ptLst":
				return diagram(r, w)
			}
			return nil
		})
	}))
}

// series is a column of a chart's table.
type series struct {
	name   string
	values map[int]string
}

// plot is a chart that is being read.
type plot struct {
	title      string
	categories map[int]string
	columns    []series
	rows       int // highest index of a point, from 1
	points     int
}

func chart(r *xmlread.Reader, w *markdown.Writer) error {
	p := &plot{categories: map[int]string{}}
	err := p.read(r)
	if err := w.Paragraph(strings.TrimSpace("Chart: " + p.title)); err != nil {
		return err
	}
	head := []string{""}
	for _, c := range p.columns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for i := range p.rows {
		row := []string{p.categories[i]}
		for _, c := range p.columns {
			row = append(row, c.values[i])
		}
		rows = append(rows, row)
	}
	return cmp.Or(w.Table(rows), err)
}

// read reads c:chart to its end.
func (p *plot) read(r *xmlread.Reader) error {
	place, index := "", 0 // the current series or axis, and point
	return r.Walk(func(kind xmlread.Kind) error {
		if kind == xmlread.End && (r.Name == "c:title" || r.Name == "c:ser") {
			place = ""
		}
		if kind != xmlread.Start {
			return nil
		}
		switch r.Name {
		case "c:title":
			place = "title"
		case "c:ser":
			if len(p.columns) < 256 {
				p.columns = append(p.columns, series{values: map[int]string{}})
			}
		case "c:tx", "c:cat", "c:val", "c:xVal", "c:yVal":
			if place != "title" {
				place = r.Name
			}
		case "c:pt":
			index, _ = strconv.Atoi(r.Attr("idx"))
		case "a:t", "c:v":
			text, err := r.Inner()
			p.keep(place, index, text)
			return err
		}
		return nil
	})
}

func (p *plot) keep(place string, index int, text string) {
	n := len(p.columns) - 1
	if p.points++; p.points > maxPoints || index < 0 || index >= maxPoints {
		return
	}
	switch place {
	case "title":
		if n < 0 && len(p.title) < 4096 {
			p.title += text
		}
	case "c:tx":
		if n >= 0 {
			p.columns[n].name = text
		}
	case "c:cat", "c:xVal":
		p.categories[index], p.rows = text, max(p.rows, index+1)
	case "c:val", "c:yVal":
		if n >= 0 {
			p.columns[n].values[index], p.rows = text, max(p.rows, index+1)
		}
	}
}

// diagram writes the texts of a diagram in order.
func diagram(r *xmlread.Reader, w *markdown.Writer) error {
	var line strings.Builder
	return r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.End && r.Name == "dgm:pt":
			if err := w.Item(0, "-", line.String()); err != nil {
				return err
			}
			line.Reset()
		case kind == xmlread.End && r.Name == "a:p":
			line.WriteByte('\n')
		case kind == xmlread.Start && r.Name == "a:t":
			text, err := r.Inner()
			line.WriteString(text)
			return err
		}
		return nil
	})
}
