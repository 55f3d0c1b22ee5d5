// Package equation writes equations in a line, as people type them: (a+b)/c, x^2, √(x), ∑_(i=1)^n.
package equation

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// maxText bounds an equation, whose parts are written into one another.
const maxText = 1 << 20

// node is an element of an equation with its parts.
type node struct {
	name  string
	text  string
	props map[string]string // of m:dPr and the like
	kids  []*node
}

// Office reads an equation of Office from m:oMath, which has just started, to its end.
func Office(r *xmlread.Reader) (string, error) {
	root, err := read(r, new(int), 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	root.write(&b)
	return b.String(), nil
}

// maxNested bounds parts in parts; deeper ones are left out.
const maxNested = 60

func read(r *xmlread.Reader, size *int, level int) (*node, error) {
	n := &node{name: strings.TrimPrefix(r.Name, "m:"), props: map[string]string{}}
	if *size += len(n.name); level > maxNested || *size > maxText {
		return n, r.Skip()
	}
	for depth := r.Depth() - 1; ; {
		kind, err := r.Next()
		if err != nil {
			return n, err
		}
		switch kind {
		case xmlread.End:
			if r.Depth() == depth {
				return n, nil
			}
		case xmlread.Text:
			if n.name == "t" {
				n.text += string(r.Text)
				*size += len(r.Text)
			}
		case xmlread.Start:
			switch {
			case strings.HasSuffix(n.name, "Pr"):
				n.props[strings.TrimPrefix(r.Name, "m:")] = r.Attr("m:val")
				err = r.Skip()
			case !strings.HasPrefix(r.Name, "m:"):
				if err = r.Skip(); r.Name == "w:t" {
					continue
				}
			default:
				var kid *node
				if kid, err = read(r, size, level+1); strings.HasSuffix(kid.name, "Pr") {
					n.props = kid.props
				} else {
					n.kids = append(n.kids, kid)
				}
			}
			if err != nil {
				return n, err
			}
		}
	}
}

func (n *node) kid(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
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

// group is a part in brackets, unless it is a single word.
func group(n *node) string {
	s := strings.TrimSpace(n.String())
	if len([]rune(s)) > 1 && strings.ContainsAny(s, " +-−=*/·^_,()") {
		return "(" + s + ")"
	}
	return s
}

func (n *node) write(b *strings.Builder) {
	scripts := func() {
		if s := group(n.kid("sub")); s != "" {
			b.WriteString("_" + s)
		}
		if s := group(n.kid("sup")); s != "" {
			b.WriteString("^" + s)
		}
	}
	switch n.name {
	case "t":
		b.WriteString(n.text)
	case "f":
		b.WriteString(group(n.kid("num")) + "/" + group(n.kid("den")))
	case "sSub", "sSup", "sSubSup":
		b.WriteString(group(n.kid("e")))
		scripts()
	case "sPre":
		scripts()
		b.WriteString(group(n.kid("e")))
	case "nary":
		sign := n.props["chr"]
		if sign == "" {
			sign = "∫"
		}
		b.WriteString(sign)
		scripts()
		b.WriteString(" " + n.kid("e").String())
	case "rad":
		if deg := group(n.kid("deg")); deg != "" {
			b.WriteString(deg)
		}
		b.WriteString("√(" + n.kid("e").String() + ")")
	case "d":
		n.delimited(b)
	case "func":
		b.WriteString(n.kid("fName").String() + " " + n.kid("e").String())
	case "limLow":
		b.WriteString(n.kid("e").String() + "_" + group(n.kid("lim")))
	case "limUpp":
		b.WriteString(n.kid("e").String() + "^" + group(n.kid("lim")))
	case "m", "eqArr":
		n.rows(b)
	default:
		for _, k := range n.kids {
			k.write(b)
		}
	}
}

func (n *node) delimited(b *strings.Builder) {
	sign := func(name, usual string) string {
		if s, ok := n.props[name]; ok {
			return s
		}
		return usual
	}
	b.WriteString(sign("begChr", "("))
	for i, k := range n.kids {
		if i > 0 {
			b.WriteString(sign("sepChr", "|"))
		}
		k.write(b)
	}
	b.WriteString(sign("endChr", ")"))
}

// rows writes a matrix or a column of equations.
func (n *node) rows(b *strings.Builder) {
	for i, row := range n.kids {
		if i > 0 {
			b.WriteString("; ")
		}
		if row.name != "mr" {
			row.write(b)
			continue
		}
		for j, cell := range row.kids {
			if j > 0 {
				b.WriteString(", ")
			}
			cell.write(b)
		}
	}
}
