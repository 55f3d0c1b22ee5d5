package html

import "golang.org/x/net/html/atom"

// skippedElement is an element that is open, such as one whose content is left out.
type skippedElement struct {
	tag   atom.Atom
	name  string
	depth int // elements of its name that are open, 0 outside
}

// enter goes into an element, if it is one, or deeper into the one of this name that is open.
func (s *skippedElement) enter(tag atom.Atom, name string, isOne bool) {
	switch {
	case s.depth > 0 && name == s.name:
		s.depth++
	case s.depth == 0 && isOne:
		*s = skippedElement{tag, name, 1}
	}
}

// leave says whether it leaves the element.
func (s *skippedElement) leave(name string) bool {
	if s.depth == 0 || name != s.name {
		return false
	}
	s.depth--
	return s.depth == 0
}

// goesOn says whether a tag stands in an element that is left out. A paragraph ends where a block begins.
func (s *skippedElement) goesOn(tag atom.Atom, name string, closed bool) bool {
	switch {
	case s.depth == 0:
	case s.tag == atom.P && isBlock(tag):
		s.depth = 0
	case name == s.name && !closed && !isVoid(tag):
		s.depth++
	}
	return s.depth > 0
}
