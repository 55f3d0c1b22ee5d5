package html

import "golang.org/x/net/html/atom"

// skippedElement tracks an open element until its end tag: one whose content is skipped, or main.
type skippedElement struct {
	tag   atom.Atom
	name  string
	depth int // open elements with its name; 0 outside
}

// enter enters an element if isOne, or counts a nested element with the same name.
func (s *skippedElement) enter(tag atom.Atom, name string, isOne bool) {
	switch {
	case s.depth > 0 && name == s.name:
		s.depth++
	case s.depth == 0 && isOne:
		*s = skippedElement{tag, name, 1}
	}
}

// leave reports whether a closing tag leaves the element.
func (s *skippedElement) leave(name string) bool {
	if s.depth == 0 || name != s.name {
		return false
	}
	s.depth--
	return s.depth == 0
}

// goesOn reports whether a tag is inside the skipped element. A block ends a paragraph.
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
