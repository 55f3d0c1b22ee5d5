package xmlread

import "bytes"

// scope is what prefixes mean where the part is being read, and the names that were met.
type scope struct {
	spaces map[string]string // by prefix, as it was declared last
	undo   []binding         // what elements that are open have hidden
	last   int               // the number of the newest state of spaces
	now    int               // the number of the state that is in force
	names  map[string]*name  // by what the part calls them
	full   map[qualifiedName]string
}

type binding struct {
	prefix, space string
	known         bool
}

type qualifiedName struct{ space, local string }

// name is what a part calls something, and its name here in the state of that number.
type name struct {
	raw, full string
	state     int
}

// maxNames bounds how many names are remembered.
const maxNames = 4096

// openElement is an element that is open.
type openElement struct {
	*name
	undo  int // of the bindings before it
	state int // outside it
}

// declare binds a prefix for the element that is being opened.
func (s *scope) declare(prefix, space string) {
	before, known := s.spaces[prefix]
	if known && before == space {
		return
	}
	s.undo = append(s.undo, binding{prefix, before, known})
	s.spaces[prefix] = space
	s.last++
	s.now = s.last
}

// leave takes back what an element has declared.
func (s *scope) leave(o openElement) {
	for n := len(s.undo) - 1; n >= o.undo; n-- {
		b := s.undo[n]
		if b.known {
			s.spaces[b.prefix] = b.space
		} else {
			delete(s.spaces, b.prefix)
		}
		s.undo = s.undo[:n]
	}
	s.now = o.state
}

// name is that of an element, or of an attribute with a prefix.
func (s *scope) name(raw []byte) *name {
	known := s.names[string(raw)]
	if known != nil && known.state == s.now {
		return known
	}
	n := &name{raw: string(raw), state: s.now}
	n.full = s.resolve(n.raw)
	if known != nil || len(s.names) < maxNames {
		s.names[n.raw] = n
	}
	return n
}

// resolve puts the usual prefix of its namespace before a name.
func (s *scope) resolve(raw string) string {
	prefix, local := split(raw)
	space := s.spaces[prefix]
	switch {
	case prefix == "xmlns":
		space = prefix
	case prefix == "xml":
		space = "http://www.w3.org/XML/1998/namespace"
	case space == "" && prefix != "":
		if _, declared := s.spaces[prefix]; !declared {
			space = prefix
		}
	}
	if space == "" {
		return local
	}
	key := qualifiedName{space, local}
	full, ok := s.full[key]
	if !ok {
		full = usual(space) + ":" + local
		if len(s.full) < maxNames {
			s.full[key] = full
		}
	}
	return full
}

// split parts a name from its prefix.
func split(raw string) (prefix, local string) {
	for i := 1; i < len(raw)-1; i++ {
		if raw[i] == ':' {
			return raw[:i], raw[i+1:]
		}
	}
	return "", raw
}

var xmlns = []byte("xmlns")

// declares says whether an attribute binds a prefix, and which.
func declares(attribute []byte) (prefix string, ok bool) {
	rest, ok := bytes.CutPrefix(attribute, xmlns)
	switch {
	case !ok || len(rest) > 0 && rest[0] != ':' || len(rest) == 1:
		return "", false
	case len(rest) == 0:
		return "", true
	}
	return string(rest[1:]), true
}
