package pdf

import (
	"math"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/layout"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

const (
	maxRules = 20_000 // rules per page
	maxEdges = 1024   // edges per path
	thin     = 3      // largest width, in points, of an area that looks like a line
)

type point struct{ x, y float64 }

// path is the current path. Only its upright and level lines matter, because they separate the cells and
// rows of tables.
type path struct {
	edges    [][2]point
	pieces   []int // their starts in edges
	from, at point // start and current point of the current piece
}

// pathOperator extends or draws the path.
func (d *pageInterpreter) pathOperator(word syntax.Keyword, args []any) {
	p := &d.path
	switch word {
	case "m":
		p.move(d.point(numbers(args, 2)))
	case "l":
		p.line(d.point(numbers(args, 2)))
	case "c", "v", "y":
		p.at = d.point(numbers(args, 2))
	case "h":
		p.line(p.from)
	case "re":
		v := numbers(args, 4)
		p.move(d.point(v[:2]))
		for _, corner := range [][]float64{
			{v[0] + v[2], v[1]}, {v[0] + v[2], v[1] + v[3]}, {v[0], v[1] + v[3]}, v[:2],
		} {
			p.line(d.point(corner))
		}
	case "n":
		*p = path{edges: p.edges[:0], pieces: p.pieces[:0]}
	case "S", "s", "B", "B*", "b", "b*":
		for _, e := range p.edges {
			d.rule(e[:])
		}
		d.draw()
	case "f", "F", "f*", "sh":
		for i, from := range p.pieces {
			to := len(p.edges)
			if i+1 < len(p.pieces) {
				to = p.pieces[i+1]
			}
			var corners []point
			for _, e := range p.edges[from:to] {
				corners = append(corners, e[0], e[1])
			}
			d.rule(corners)
		}
		d.draw()
	}
}

func (d *pageInterpreter) point(v []float64) point {
	x, y := d.ctm.apply(v[0], v[1])
	return point{x, y}
}

func (p *path) move(to point) {
	p.from, p.at = to, to
	p.pieces = append(p.pieces, len(p.edges))
}

func (p *path) line(to point) {
	if len(p.edges) < maxEdges {
		p.edges = append(p.edges, [2]point{p.at, to})
	}
	p.at = to
}

// draw draws and ends the path.
func (d *pageInterpreter) draw() {
	d.paths++
	d.pathOperator("n", nil)
}

// rule records an area that looks like a line.
func (d *pageInterpreter) rule(corners []point) {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range corners {
		b = box{min(b.x0, c.x), min(b.y0, c.y), max(b.x1, c.x), max(b.y1, c.y)}
	}
	switch wide, high := b.x1-b.x0, b.y1-b.y0; {
	case len(d.rules.Upright)+len(d.rules.Level) >= maxRules:
	case wide <= thin && high > 2*thin:
		d.rules.Upright = append(d.rules.Upright, layout.Rule{At: (b.x0 + b.x1) / 2, From: b.y0, To: b.y1})
	case high <= thin && wide > 2*thin:
		d.rules.Level = append(d.rules.Level, layout.Rule{At: (b.y0 + b.y1) / 2, From: b.x0, To: b.x1})
	}
}
