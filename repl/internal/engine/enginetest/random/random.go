// Package random writes random Go programs that are well typed, terminate, and print the same with every correct
// compiler: they never depend on what Go leaves open, such as map order or addresses.
//
// A program consists of steps, which are functions that print, and of the declarations that they use. The same seed
// always makes the same program. Top-level names end in the seed, so that many programs fit into one package.
package random

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

// Program is a random program.
type Program struct {
	// Seed determines the program; see New.
	Seed int64
	// Decls are the program's types and functions, Steps its functions that print; each is the text of one
	// declaration.
	Decls, Steps []string
	plain        bool // whether the generic helpers are left out
}

// New returns the program for a seed.
func New(seed int64) (Program, error) {
	for attempt := range int64(20) {
		g := &generator{r: rand.New(rand.NewSource(seed*1000 + attempt)), seed: seed}
		if p, ok, err := g.program(); ok || err != nil {
			return p, err
		}
	}
	return Program{}, fmt.Errorf("seed %d: no program that type-checks", seed)
}

// program writes declarations, then steps; steps that do not type-check are written again.
func (g *generator) program() (p Program, ok bool, err error) {
	g.basics()
	for range 2 + g.n(3) {
		g.declareType()
	}
	for range 1 + g.n(2) {
		g.declareFunc()
	}
	p = Program{Seed: g.seed, Decls: g.decls}
	if bad, err := p.wrong(); err != nil || len(bad) > 0 {
		return p, false, err
	}
	for i := range 2 {
		p.Steps = append(p.Steps, g.step(i))
	}
	for range 12 {
		p.Decls = g.decls
		bad, err := p.wrong()
		if err != nil || slices.Contains(bad, -1) {
			return p, false, err
		}
		if len(bad) == 0 {
			return p, true, nil
		}
		for i := range p.Steps {
			if slices.Contains(bad, i) {
				p.Steps[i] = g.step(i)
			}
		}
	}
	return p.without(), true, nil
}

// without returns the program without the steps that do not type-check.
func (p Program) without() Program {
	bad, _ := p.wrong()
	var steps []string
	for i, s := range p.Steps {
		if !slices.Contains(bad, i) {
			steps = append(steps, s)
		}
	}
	p.Steps = steps
	return p
}

// Entry returns the name of the function that runs the program.
func (p Program) Entry() string { return fmt.Sprintf("main_%d", p.Seed) }

// Part returns the program as one file of a package that also contains Helpers, with Entry but without main.
func (p Program) Part() string {
	body := p.body()
	return "package main\n\n" + imports(body) + body
}

// Source returns the whole program.
func (p Program) Source() string {
	body := p.body() + fmt.Sprintf("\nfunc main() { %s() }\n", p.Entry())
	if !p.plain {
		body = helpers + body
	}
	return "package main\n\n" + imports(guard+body) + guard + body
}

// Helpers returns the file that the parts of several programs share.
func Helpers() string { return "package main\n\n" + imports(guard+helpers) + guard + helpers }

func (p Program) body() string {
	var b strings.Builder
	for _, d := range slices.Concat(p.Decls, p.Steps) {
		b.WriteString(d + "\n")
	}
	fmt.Fprintf(&b, "func %s() {\n", p.Entry())
	for _, s := range p.Steps {
		name, _, _ := strings.Cut(strings.TrimPrefix(s, "func "), "(")
		fmt.Fprintf(&b, "\tguard(%q, %s)\n", name, name)
	}
	return b.String() + "}\n"
}

// guard is the source of the function that runs a step and prints its panic.
const guard = `
func guard(name string, step func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s panics: %T %v\n", name, r, r)
		}
	}()
	fmt.Println("--", name)
	step()
}
`

// helpers are the generic functions that programs use.
const helpers = `
func tr[T any](n int, v T) T {
	fmt.Print("<", n, ">")
	return v
}

func iff[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func at[T any](xs []T, i int) (v T) {
	if i < 0 {
		i = ^i
	}
	if len(xs) > 0 {
		v = xs[i%len(xs)]
	}
	return v
}

func cut[T ~string](s T) T { return s[:min(len(s), 200)] }

func ptr[T any](v T) *T { return &v }

func as[T any](v any) (r T) {
	r, _ = v.(T)
	return r
}

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "error " + err.Error()
	}
	return string(b)
}

type num interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func sum[T num](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func apply[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }

func counter(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Print("(done ", n, ")")
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func pairs[K, V any](ks []K, vs []V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i, k := range ks {
			if i >= len(vs) || !yield(k, vs[i]) {
				return
			}
		}
	}
}
`
