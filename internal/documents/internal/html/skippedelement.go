package html

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// skippedElement tracks an open element until its end tag: one whose content is skipped, or main.
type skippedElement struct {
	tag   atom.Atom
	name  string
	depth int // open elements with its name, or of those that may hold another one; 0 outside
}

// siblings are the elements whose end tags may be left out: tags that end them, and elements that hold more of them.
func siblings(tag atom.Atom) (enders, holders []atom.Atom) {
	switch tag {
	case atom.Li:
		return []atom.Atom{atom.Li}, []atom.Atom{atom.Ul, atom.Ol, atom.Menu}
	case atom.Dt, atom.Dd:
		return []atom.Atom{atom.Dt, atom.Dd}, []atom.Atom{atom.Dl}
	case atom.Rp, atom.Rt:
		return []atom.Atom{atom.Rp, atom.Rt}, []atom.Atom{atom.Ruby}
	case atom.Option:
		return []atom.Atom{atom.Option, atom.Optgroup}, []atom.Atom{atom.Select, atom.Datalist}
	case atom.Tr, atom.Td, atom.Th:
		enders = []atom.Atom{atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot}
		if tag != atom.Tr {
			enders = append(enders, atom.Td, atom.Th)
		}
		return enders, []atom.Atom{atom.Table}
	}
	return nil, nil
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

// within reports whether a closing tag is inside the skipped element, or is its own. The end of what is around an
// element whose end tag is left out ends it.
func (s *skippedElement) within(tag atom.Atom, name string) bool {
	if s.depth == 0 {
		return false
	}
	enders, holders := siblings(s.tag)
	switch {
	case s.tag == atom.P && name != s.name && isBlock(tag):
		s.depth = 0
		return false
	case enders == nil:
		s.leave(name)
		return true
	case s.depth == 1 && (slices.Contains(enders, tag) || slices.Contains(holders, tag)):
		s.depth = 0
		return name == s.name
	case slices.Contains(holders, tag):
		s.depth--
	}
	return true
}

// goesOn reports whether an opening tag is inside the skipped element. A block ends a paragraph, and the next item an
// item.
func (s *skippedElement) goesOn(tag atom.Atom, name string, closed bool) bool {
	enders, holders := siblings(s.tag)
	switch {
	case s.depth == 0:
	case s.tag == atom.P && isBlock(tag), s.depth == 1 && slices.Contains(enders, tag):
		s.depth = 0
	case closed || isVoid(tag):
	case enders == nil && name == s.name, slices.Contains(holders, tag):
		s.depth++
	}
	return s.depth > 0
}
