package pdf

import (
	"errors"
	"math"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/font"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/layout"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Limits of one page.
const (
	maxChars     = 1 << 20
	maxOperators = 20 << 20
	maxForms     = 20_000 // drawn, counting repetitions
	maxDepth     = 16     // levels of nested forms
	maxStates    = 512    // levels of nested saves
	maxOperands  = 64
)

var errTooMuch = errors.New("it draws more than the limit for a page")

// state is the graphics state, which q saves and Q restores.
type state struct {
	ctm       matrix
	font      *font.Font
	size      float64
	charSpace float64
	wordSpace float64
	scale     float64 // horizontal; 1 is unscaled
	leading   float64
	rise      float64
}

// resources are the named objects of a page or form.
type resources struct {
	dict  syntax.Dict
	fonts map[syntax.Name]*font.Font
}

// pageInterpreter executes the operators of a page and collects the characters that they show.
type pageInterpreter struct {
	doc    *document
	box    box // area of the page; characters outside it are dropped
	chars  []layout.Char
	rules  layout.Rules
	path   path
	lost   int // characters of unknown meaning, without text
	guess  int // characters with guessed text
	images int
	paths  int // drawn lines and areas
	ops    int
	forms  int
	hidden int // depth of nested content in hidden layers

	state
	stack  []state
	matrix matrix // text matrix
	line   matrix // text line matrix
	marks  []mark
}

// mark is a marked-content sequence that has begun.
type mark struct {
	actual    string // replacement text (ActualText)
	hasActual bool
	hides     bool
	start     int // index in chars
}

func newPageInterpreter(doc *document, base matrix, page box) *pageInterpreter {
	return &pageInterpreter{doc: doc, box: page, state: state{ctm: base, scale: 1}, matrix: identity, line: identity}
}

// run executes a content stream. Its results before an error are kept.
func (d *pageInterpreter) run(data []byte, res *resources, depth int) error {
	l := syntax.NewLexer(data)
	args := make([]any, 0, maxOperands)
	for {
		o, ok := l.Next()
		if !ok {
			return nil
		}
		word, ok := o.(syntax.Keyword)
		if !ok {
			if len(args) == maxOperands {
				copy(args, args[1:])
				args = args[:maxOperands-1]
			}
			args = append(args, o)
			continue
		}
		if d.ops++; d.ops&1023 == 0 {
			if err := d.doc.ctx.Err(); err != nil {
				panic(syntax.CancelPanic{Err: err})
			}
		}
		if d.ops > maxOperators || len(d.chars) > maxChars {
			return errTooMuch
		}
		if word == "BI" {
			d.images++
			skipImage(l)
		} else if err := d.operator(word, args, res, depth); err != nil {
			return err
		}
		args = args[:0]
	}
}

func (d *pageInterpreter) operator(word syntax.Keyword, args []any, res *resources, depth int) error {
	switch word {
	case "q":
		if len(d.stack) < maxStates {
			d.stack = append(d.stack, d.state)
		}
	case "Q":
		if n := len(d.stack); n > 0 {
			d.state, d.stack = d.stack[n-1], d.stack[:n-1]
		}
	case "cm":
		d.ctm = matrixOf(numbers(args, 6)).times(d.ctm)
	case "Do":
		return d.form(d.doc.file.Dict(res.dict["XObject"])[name(args)], res, depth)
	case "gs":
		gs := d.doc.file.Dict(d.doc.file.Dict(res.dict["ExtGState"])[name(args)])
		if f := d.doc.file.Array(gs["Font"]); len(f) == 2 {
			d.font, d.size = d.doc.font(f[0]), d.doc.file.Number(f[1])
		}
	case "BMC", "BDC":
		d.begin(args, res)
	case "EMC":
		d.end()
	case "m", "l", "c", "v", "y", "h", "re", "n", "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh":
		d.pathOperator(word, args)
	default:
		d.textOperator(word, args, res)
	}
	return nil
}

func (d *pageInterpreter) textOperator(word syntax.Keyword, args []any, res *resources) {
	n := func(i int) (v float64) {
		if i < len(args) {
			v, _ = syntax.Number(args[i])
		}
		return v
	}
	switch word {
	case "BT":
		d.matrix, d.line = identity, identity
	case "Tf":
		if len(args) >= 2 {
			d.font = d.doc.named(res, name(args[:len(args)-1]))
			d.size, _ = syntax.Number(args[len(args)-1])
		}
	case "Tc":
		d.charSpace = n(0)
	case "Tw":
		d.wordSpace = n(0)
	case "Tz":
		d.scale = n(0) / 100
	case "TL":
		d.leading = n(0)
	case "Ts":
		d.rise = n(0)
	case "Td":
		d.move(n(0), n(1))
	case "TD":
		d.leading = -n(1)
		d.move(n(0), n(1))
	case "Tm":
		d.line = matrixOf(numbers(args, 6))
		d.matrix = d.line
	case "T*":
		d.move(0, -d.leading)
	case "Tj":
		d.showLast(args)
	case "'":
		d.move(0, -d.leading)
		d.showLast(args)
	case `"`:
		if len(args) >= 3 {
			d.wordSpace, d.charSpace = n(0), n(1)
		}
		d.move(0, -d.leading)
		d.showLast(args)
	case "TJ":
		if len(args) > 0 {
			list, _ := args[len(args)-1].(syntax.Array)
			for _, o := range list {
				d.showOrMove(o)
			}
		}
	}
}

func (d *pageInterpreter) move(x, y float64) {
	d.line = matrix{1, 0, 0, 1, x, y}.times(d.line)
	d.matrix = d.line
}

func (d *pageInterpreter) showLast(args []any) {
	if len(args) > 0 {
		d.showOrMove(args[len(args)-1])
	}
}

func (d *pageInterpreter) showOrMove(o any) {
	if s, ok := o.(syntax.String); ok {
		d.show(s)
		return
	}
	if n, ok := syntax.Number(o); ok {
		d.advance(-n / 1000 * d.size)
	}
}

// advance moves the text position along the line.
func (d *pageInterpreter) advance(by float64) {
	x, y := by*d.scale, 0.0
	if d.font != nil && d.font.Vertical {
		x, y = 0, by
	}
	d.matrix.e, d.matrix.f = d.matrix.apply(x, y)
}

// show collects the characters of a string.
func (d *pageInterpreter) show(s syntax.String) {
	if d.font == nil || len(d.chars) > maxChars {
		return
	}
	d.font.Each(s, func(g font.Glyph) {
		step := g.Width*d.size + d.charSpace
		if g.Space {
			step += d.wordSpace
		}
		wide := g.Width * d.size
		// some programs write the spaces between words as extra space between characters
		if math.Abs(d.charSpace) < 0.12*math.Abs(d.size) {
			wide += d.charSpace
		}
		if d.font.Vertical {
			d.keep(g, matrix{0, -1, 1, 0, -d.size / 2, 0}, wide)
			d.advance(-step)
			return
		}
		d.keep(g, identity, wide*d.scale)
		d.advance(step)
	})
}

// keep adds a character. turn is the direction of its line.
func (d *pageInterpreter) keep(g font.Glyph, turn matrix, wide float64) {
	if d.hidden > 0 {
		return
	}
	m := turn.times(matrix{1, 0, 0, 1, 0, d.rise}).times(d.matrix).times(d.ctm)
	size := math.Abs(d.size) * d.font.Size * math.Hypot(m.c, m.d)
	c := layout.Char{Text: g.Text, X: m.e, Y: m.f, DX: wide * m.a, DY: wide * m.b, Size: size}
	along := math.Copysign(1, d.size*d.scale)
	c.Angle = math.Atan2(m.b*along, m.a*along) * 180 / math.Pi
	if !d.box.holds(c.X+c.DX/2, c.Y+c.DY/2) || size < 1e-3 || size > 1e5 || math.IsNaN(c.Angle) ||
		math.IsNaN(c.DX+c.DY) {
		return
	}
	if g.Text == "" {
		d.lost++
	}
	if g.Guess {
		d.guess++
	}
	d.chars = append(d.chars, c)
}

// numbers returns the last n operands as numbers; missing ones are 0.
func numbers(args []any, n int) []float64 {
	out := make([]float64, n)
	if len(args) > n {
		args = args[len(args)-n:]
	}
	for i, o := range args {
		out[i], _ = syntax.Number(o)
	}
	return out
}

// name returns the last operand as a name.
func name(args []any) syntax.Name {
	if len(args) == 0 {
		return ""
	}
	n, _ := args[len(args)-1].(syntax.Name)
	return n
}
