package main

import "fmt"

type F func(int) F
type M map[string]M
type Sl []Sl
type P *P
type C chan C
type A struct {
	b  *B
	bs []B
	m  map[A2]B
}
type A2 struct{ n int }
type B struct {
	a A
	f func(A) B
	i interface{ Do(B) A }
}
type I interface {
	Next() I
	With(...I) (I, error)
}
type N int

func (n N) Next() I {
	if n == 0 {
		return nil
	}
	return n - 1
}
func (n N) With(is ...I) (I, error) { return N(len(is)), nil }

type Expr interface{ Eval(Env) Value }
type Env map[string]Value
type Value interface {
	Expr
	fmt.Stringer
}
type Num float64

func (n Num) Eval(Env) Value { return n }
func (n Num) String() string { return fmt.Sprintf("%g", float64(n)) }

type Lam struct {
	p string
	b Expr
	e Env
}

func (l *Lam) Eval(Env) Value { return l }
func (l *Lam) String() string { return "λ" + l.p }

type Var string

func (v Var) Eval(e Env) Value { return e[string(v)] }

type Let struct {
	n    string
	v, b Expr
}

func (l Let) Eval(e Env) Value {
	e2 := Env{}
	for k, v := range e {
		e2[k] = v
	}
	e2[l.n] = l.v.Eval(e)
	return l.b.Eval(e2)
}

type Arr [2]*Arr
type St struct {
	arr  [3][]St
	next map[St2]*St
}
type St2 struct{ x [2]string }
type G[T any] struct {
	v    T
	kids []G[T]
	par  *G[T]
	f    func(G[T]) *G[T]
}
type H[T any] interface{ Cmp(T) int }
type HH[T H[T]] struct{ xs []T }
type Z int

func (a Z) Cmp(b Z) int { return int(a - b) }
func (h *HH[T]) Max() (m T) {
	for i, x := range h.xs {
		if i == 0 || x.Cmp(m) > 0 {
			m = x
		}
	}
	return
}

func main() {
	var f F
	c := 0
	f = func(i int) F { c += i; return f }
	f(1)(2)(3)
	fmt.Println(c)
	m := M{"a": {"b": nil}}
	fmt.Println(m, len(m["a"]["b"]["c"]))
	fmt.Println(Sl{{}, {{}}}, fmt.Sprintf("%T", Sl{}))
	var p P
	p = &p
	fmt.Println(*p == p)
	ch := make(C, 1)
	ch <- ch
	fmt.Println(<-ch == ch)
	b := B{a: A{bs: []B{{}}, m: map[A2]B{{1}: {}}}}
	fmt.Printf("%v %T\n", b.a.bs, b)
	fmt.Println(N(3).Next().Next())
	fmt.Println(N(1).With(nil, N(2)))
	fmt.Println(Let{"x", Num(3), Let{"y", Var("x"), Var("y")}}.Eval(Env{"q": &Lam{p: "z"}}))
	var e Expr = &Lam{p: "w"}
	_, ok := e.(Value)
	fmt.Println(ok, e)
	a := &Arr{}
	a[0] = a
	fmt.Println(a[0][0] == a)
	s := St{}
	s.arr[0] = []St{{}, {}}
	fmt.Printf("%v %+v\n", s, s.arr[0][1].next)
	g := G[string]{v: "a"}
	g.kids = append(g.kids, G[string]{v: "b", par: &g})
	g.f = func(x G[string]) *G[string] { return x.kids[0].par }
	fmt.Println(g.f(g).v, fmt.Sprintf("%T", g.f))
	fmt.Println((&HH[Z]{[]Z{3, 9, 4}}).Max())
	type loc struct {
		n *loc
		m map[string]loc
	}
	fmt.Printf("%T %v\n", loc{}, loc{m: map[string]loc{"a": {}}})
	func() {
		type loc struct{ x int }
		fmt.Printf("%T %v\n", loc{}, loc{3})
		var q any = loc{1}
		_, ok := q.(interface{ X() })
		fmt.Println(ok)
	}()
}
