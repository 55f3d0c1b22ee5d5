// Package equation writes equations on one line, as people type them: (a+b)/c, x^2, √(x), ∑_(i=1)^n.
package equation

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

const (
	maxText   = 1 << 20 // bytes of an equation
	maxNested = 60      // levels of nested elements; deeper ones become plain text
)

// Read reads an equation to its end. The current element is Office's m:oMath, or math:math.
func Read(r *xmlread.Reader) (string, error) {
	var b Builder
	err := r.Walk(func(kind xmlread.Kind) error {
		prefix, name, _ := strings.Cut(r.Name, ":")
		switch {
		case kind == xmlread.Text:
			b.Text(string(r.Text))
		case kind == xmlread.End:
			b.Close(name)
		case strings.HasSuffix(name, "Pr"):
			return r.Inside(func() error {
				b.property(strings.TrimPrefix(r.Name, "m:"), r.Attr("m:val"))
				return nil
			})
		case prefix != "m" && prefix != "math":
			return r.Skip()
		default:
			b.Open(name)
		}
		return nil
	})
	return b.String(), err
}

// Builder builds an equation from a sequence of Office or MathML elements.
type Builder struct {
	root node
	open []*node
	deep int // open elements that are nested too deeply
	size int
}

// node is an element of an equation with its children.
type node struct {
	name  string
	text  string
	props map[string]string // properties from m:dPr and similar elements
	kids  []*node
}

func (b *Builder) top() *node {
	if n := len(b.open); n > 0 {
		return b.open[n-1]
	}
	return &b.root
}

// Open starts an element.
func (b *Builder) Open(name string) {
	if b.size += len(name); len(b.open) >= maxNested || b.size > maxText {
		b.deep++
		return
	}
	n := &node{name: name}
	top := b.top()
	top.kids = append(top.kids, n)
	b.open = append(b.open, n)
}

// Close ends an element, and unclosed ones inside it.
func (b *Builder) Close(name string) {
	if b.deep > 0 {
		b.deep--
		return
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i].name == name {
			b.open = b.open[:i]
			return
		}
	}
}

// Text adds text. White space between elements is ignored.
func (b *Builder) Text(text string) {
	top := b.top()
	if b.size += len(text); b.size > maxText || !top.isLeaf() && strings.TrimSpace(text) == "" {
		return
	}
	top.kids = append(top.kids, &node{name: "text", text: text})
}

func (b *Builder) property(name, value string) {
	top := b.top()
	if top.props == nil {
		top.props = map[string]string{}
	}
	top.props[name] = value
}

// String returns the equation so far.
func (b *Builder) String() string { return strings.Join(strings.Fields(b.root.String()), " ") }

func (n *node) isLeaf() bool {
	switch n.name {
	case "t", "mi", "mn", "mo", "mtext", "ms":
		return true
	}
	return false
}

// places lists the meanings of a MathML element's children, in order, by the names of these meanings in Office.
var places = map[string][]string{
	"mfrac": {"num", "den"}, "msub": {"e", "sub"}, "msup": {"e", "sup"}, "msubsup": {"e", "sub", "sup"},
	"munder": {"e", "sub"}, "mover": {"e", "sup"}, "munderover": {"e", "sub", "sup"}, "mroot": {"e", "deg"},
}

func (n *node) kid(name string) *node {
	for i, k := range n.kids {
		if k.name == name || i < len(places[n.name]) && places[n.name][i] == name {
			return k
		}
	}
	return &node{}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// group returns a part in brackets, or without them if it is a single word.
func group(n *node) string {
	s := strings.TrimSpace(n.String())
	if len([]rune(s)) > 1 && (n.leaves() > 1 || strings.ContainsAny(s, " +-−=*/·^_,()")) {
		return "(" + s + ")"
	}
	return s
}

func (n *node) leaves() (all int) {
	if n.isLeaf() {
		return 1
	}
	for _, k := range n.kids {
		all += k.leaves()
	}
	return all
}

// script returns a superscript or subscript. An accent over a letter is not an exponent.
func (n *node) script(name, mark string) string {
	k := n.kid(name)
	s := group(k)
	if s == "" || k.name == "mo" && (n.name == "mover" || n.name == "munder") {
		return s
	}
	return mark + s
}

func (n *node) prop(name, usual string) string {
	if s, ok := n.props[name]; ok {
		return s
	}
	return usual
}

func (n *node) write(b *strings.Builder) {
	scripts := n.script
	switch n.name {
	case "text":
		b.WriteString(n.text)
	case "annotation", "annotation-xml":
	case "f", "mfrac":
		b.WriteString(group(n.kid("num")) + "/" + group(n.kid("den")))
		n.rest(b)
	case "sSub", "sSup", "sSubSup", "msub", "msup", "msubsup", "munder", "mover", "munderover":
		b.WriteString(group(n.kid("e")) + scripts("sub", "_") + scripts("sup", "^"))
		n.rest(b)
	case "sPre":
		b.WriteString(scripts("sub", "_") + scripts("sup", "^") + group(n.kid("e")))
	case "nary":
		sign := n.prop("chr", "∫")
		b.WriteString(sign + scripts("sub", "_") + scripts("sup", "^") + " " + n.kid("e").String())
	case "rad", "mroot":
		if deg := n.kid("deg").String(); deg != "" {
			b.WriteString("root(" + n.kid("e").String() + ", " + deg + ")")
		} else {
			b.WriteString("√(" + n.kid("e").String() + ")")
		}
	case "msqrt":
		b.WriteString("√(")
		n.join(b, "")
		b.WriteString(")")
	case "d":
		b.WriteString(n.prop("begChr", "("))
		n.join(b, n.prop("sepChr", "|"))
		b.WriteString(n.prop("endChr", ")"))
	case "mfenced":
		b.WriteString("(")
		n.join(b, ", ")
		b.WriteString(")")
	case "func":
		b.WriteString(n.kid("fName").String() + " " + n.kid("e").String())
	case "limLow":
		b.WriteString(n.kid("e").String() + scripts("lim", "_"))
	case "limUpp":
		b.WriteString(n.kid("e").String() + scripts("lim", "^"))
	case "m", "eqArr", "mtable":
		n.join(b, "; ")
	case "mr", "mtr":
		n.join(b, ", ")
	default:
		n.join(b, "")
	}
}

func (n *node) join(b *strings.Builder, between string) {
	for i, k := range n.kids {
		if i > 0 {
			b.WriteString(between)
		}
		k.write(b)
	}
}

// rest writes the surplus children of an unclosed MathML element.
func (n *node) rest(b *strings.Builder) {
	if known := len(places[n.name]); known > 0 {
		for _, k := range n.kids[min(known, len(n.kids)):] {
			k.write(b)
		}
	}
}
