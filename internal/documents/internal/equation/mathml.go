package equation

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// MathML reads an equation from math:math, which has just started, to its end.
func MathML(r *xmlread.Reader) (string, error) {
	root, err := readMathML(r, new(int), 0)
	if err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(root.String()), " "), nil
}

// names translates an element with its parts in order into one of Office with named parts.
var names = map[string][]string{
	"mfrac": {"f", "num", "den"}, "msub": {"sSub", "e", "sub"}, "msup": {"sSup", "e", "sup"}, "msubsup": {"sSubSup", "e", "sub", "sup"},
	"munder": {"sSub", "e", "sub"}, "mover": {"sSup", "e", "sup"}, "munderover": {"sSubSup", "e", "sub", "sup"}, "mroot": {"rad", "e", "deg"},
}

func readMathML(r *xmlread.Reader, size *int, level int) (*node, error) {
	name := strings.TrimPrefix(r.Name, "math:")
	n := &node{name: name}
	switch name {
	case "annotation", "annotation-xml":
		return n, r.Skip()
	case "mtable":
		n.name = "m"
	case "mtr":
		n.name = "mr"
	case "mi", "mn", "mo", "mtext", "ms":
		n.name = "t"
	}
	if *size += len(name); level > maxNested || *size > maxText {
		return n, r.Skip()
	}
	for depth := r.Depth() - 1; ; {
		kind, err := r.Next()
		if err != nil {
			return n, err
		}
		switch kind {
		case xmlread.Text:
			if n.name == "t" {
				n.text += string(r.Text)
				*size += len(r.Text)
			}
		case xmlread.Start:
			kid, err := readMathML(r, size, level+1)
			n.kids = append(n.kids, kid)
			if err != nil {
				return n, err
			}
		case xmlread.End:
			if r.Depth() == depth {
				return n.translate(), nil
			}
		}
	}
}

func (n *node) translate() *node {
	if n.name == "msqrt" {
		return &node{name: "rad", kids: []*node{{name: "e", kids: n.kids}}}
	}
	to := names[n.name]
	if len(to) == 0 || len(n.kids) != len(to)-1 {
		return n
	}
	t := &node{name: to[0]}
	for i, kid := range n.kids {
		t.kids = append(t.kids, &node{name: to[i+1], kids: []*node{kid}})
	}
	return t
}
