package random

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
)

type kind int

const (
	kInt kind = iota
	kUint
	kFloat
	kComplex
	kString
	kBool
	kSlice
	kArray
	kMap
	kStruct
	kPtr
	kFunc
	kAny
	kErr
)

// typ is a type of the program.
type typ struct {
	src    string // the type as written
	kind   kind
	elem   *typ // element type; for functions, which take an int, the result type
	key    *typ
	size   int // length of an array, or bits of a number
	fields []field
	method []string // names of methods that take no parameters and return a string
	ptrs   []string // names of pointer methods Add(int), which change the value
}

type field struct {
	name     string
	t        *typ
	embedded bool
}

// generator writes a program.
type generator struct {
	r     *rand.Rand
	seed  int64
	decls []string
	types []*typ // types that variables can have
	named []*typ // those that the program declares
	funcs []fn
	names int
	scope []variable
	loop  int // nesting depth of loops
	depth int // nesting depth of blocks
}

type fn struct {
	name   string
	params []*typ
	result *typ
}

type variable struct {
	name  string
	t     *typ
	fixed bool // must not be assigned to
}

func (g *generator) n(n int) int             { return g.r.Intn(n) }
func (g *generator) yes(n int) bool          { return g.r.Intn(n) == 0 }
func (g *generator) one(of ...string) string { return of[g.r.Intn(len(of))] }
func (g *generator) name(p string) string    { g.names++; return p + strconv.Itoa(g.names) }
func (g *generator) top(p string) string {
	g.names++
	return fmt.Sprintf("%s%d_%d", p, g.names, g.seed)
}

func (g *generator) decl(format string, args ...any) {
	g.decls = append(g.decls, fmt.Sprintf(format, args...))
}

var (
	tInt    = &typ{src: "int", kind: kInt, size: 64}
	tString = &typ{src: "string", kind: kString}
	tBool   = &typ{src: "bool", kind: kBool}
	tFloat  = &typ{src: "float64", kind: kFloat, size: 64}
	tAny    = &typ{src: "any", kind: kAny}
	tErr    = &typ{src: "error", kind: kErr}
)

// basics sets the types that need no declaration.
func (g *generator) basics() {
	g.types = []*typ{tInt, tInt, tString, tString, tBool, tFloat, tAny, tErr}
	for range 3 {
		g.types = append(g.types, g.number())
	}
	for range 3 {
		g.types = append(g.types, g.composed())
	}
}

func (g *generator) number() *typ {
	bits := []int{8, 16, 32, 64}[g.n(4)]
	switch g.n(4) {
	case 0:
		return &typ{src: "uint" + strconv.Itoa(bits), kind: kUint, size: bits}
	case 1:
		return &typ{src: "float" + strconv.Itoa(max(bits, 32)), kind: kFloat, size: max(bits, 32)}
	case 2:
		if g.yes(2) {
			return &typ{src: "complex128", kind: kComplex}
		}
	}
	return &typ{src: "int" + strconv.Itoa(bits), kind: kInt, size: bits}
}

// anyType returns one of the program's types at random.
func (g *generator) anyType() *typ {
	if len(g.named) > 0 && g.yes(2) {
		return g.named[g.n(len(g.named))]
	}
	return g.types[g.n(len(g.types))]
}

func (g *generator) keyType() *typ {
	for range 8 {
		if t := g.anyType(); t.comparable(4) && t.kind != kFloat && t.kind != kComplex && !t.holds(kAny, 4) &&
			!t.holds(kErr, 4) && !t.deep(4) {
			return t
		}
	}
	return tString
}

// composed returns a new type literal.
func (g *generator) composed() *typ {
	e := g.anyType()
	switch g.n(8) {
	case 0, 1:
		return slice(e)
	case 2:
		return g.array(e)
	case 3, 4:
		k := g.keyType()
		return &typ{src: "map[" + k.src + "]" + e.src, kind: kMap, key: k, elem: e}
	case 5:
		return &typ{src: "*" + e.src, kind: kPtr, elem: e}
	case 6:
		return &typ{src: "func(int) " + e.src, kind: kFunc, elem: e}
	}
	t := &typ{kind: kStruct}
	var b strings.Builder
	for i := range 1 + g.n(3) {
		f := field{name: string(rune('A' + i)), t: g.anyType()}
		t.fields = append(t.fields, f)
		fmt.Fprintf(&b, "; %s %s", f.name, f.t.src)
	}
	t.src = "struct{" + b.String()[1:] + " }"
	return t
}

func slice(e *typ) *typ { return &typ{src: "[]" + e.src, kind: kSlice, elem: e} }

func (g *generator) array(e *typ) *typ {
	n := g.n(4)
	return &typ{src: fmt.Sprintf("[%d]%s", n, e.src), kind: kArray, elem: e, size: n}
}

// deep reports whether values contain anything that prints as an address, such as a pointer or a function, down to
// d levels.
func (t *typ) deep(d int) bool {
	if d == 0 {
		return true
	}
	switch t.kind {
	case kPtr, kFunc:
		return true
	case kSlice, kArray:
		return t.elem.deep(d - 1)
	case kMap:
		return t.elem.deep(d-1) || t.key.deep(d-1)
	case kStruct:
		for _, f := range t.fields {
			// fmt does not call the methods of unexported fields.
			if f.t.deep(d-1) || f.name[0] > 'Z' && (f.t.holds(kErr, d) || f.t.holds(kAny, d)) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a value of type t is or may contain a value of kind k, looking at most d levels deep. It
// also returns true if deeper levels would have to decide.
func (t *typ) holds(k kind, d int) bool {
	if t.kind == k || d == 0 {
		return true
	}
	if t.elem != nil && t.elem.holds(k, d-1) || t.key != nil && t.key.holds(k, d-1) {
		return true
	}
	for _, f := range t.fields {
		if f.t.holds(k, d-1) {
			return true
		}
	}
	return false
}

// recursive reports whether values can contain values of the same type, or of another recursive type.
func (t *typ) recursive(within []*typ) bool {
	if t == nil {
		return false
	}
	if slices.Contains(within, t) {
		return true
	}
	within = append(slices.Clip(within), t)
	for _, f := range t.fields {
		if f.t.recursive(within) {
			return true
		}
	}
	return t.elem.recursive(within) || t.key.recursive(within)
}

func (t *typ) comparable(d int) bool {
	switch t.kind {
	case kSlice, kMap, kFunc:
		return false
	case kArray:
		return t.elem.comparable(d)
	case kStruct:
		for _, f := range t.fields {
			if d == 0 || !f.t.comparable(d-1) {
				return false
			}
		}
	}
	return true
}

func (t *typ) numeric() bool { return t.kind <= kFloat }
func (t *typ) ordered() bool { return t.numeric() || t.kind == kString }
