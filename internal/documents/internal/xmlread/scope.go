package xmlread

import "bytes"

// scope has the current meanings of prefixes, and a cache of names.
type scope struct {
	spaces map[string]string // namespaces by prefix: the innermost declaration
	undo   []binding         // declarations that open elements have hidden
	last   int               // number of the newest state of spaces
	now    int               // number of the state in effect
	names  map[string]*name  // cached names, by raw name
	full   map[qualifiedName]string
}

type binding struct {
	prefix, space string
	known         bool
}

type qualifiedName struct{ space, local string }

// name is a raw name and its meaning in the state with that number.
type name struct {
	raw, full string
	state     int
}

// maxNames limits the cache of names.
const maxNames = 4096

// openElement is an open element.
type openElement struct {
	*name
	undo  int // number of bindings before it
	state int // state outside it
}

// declare binds a prefix for the element being opened.
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

// leave undoes the declarations of an element.
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

// name returns the name of an element, or of an attribute with a prefix.
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

// resolve replaces the prefix of a name with the usual one for its namespace.
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

// split splits a name into prefix and local name.
func split(raw string) (prefix, local string) {
	for i := 1; i < len(raw)-1; i++ {
		if raw[i] == ':' {
			return raw[:i], raw[i+1:]
		}
	}
	return "", raw
}

var xmlns = []byte("xmlns")

// declares reports whether an attribute declares a prefix, and returns the prefix.
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
