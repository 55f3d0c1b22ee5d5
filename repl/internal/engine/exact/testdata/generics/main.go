package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"sort"
	"strings"
)

type Number interface {
	~int | ~int8 | ~int64 | ~float64 | ~uint16
}
type Vec[T Number] []T

func (v Vec[T]) Sum() (s T) {
	for _, x := range v {
		s += x
	}
	return
}
func (v Vec[T]) Map(f func(T) T) Vec[T] {
	out := make(Vec[T], 0, len(v))
	for _, x := range v {
		out = append(out, f(x))
	}
	return out
}

type MyI int8

func (m MyI) String() string { return fmt.Sprintf("MyI<%d>", int8(m)) }

type Stringish interface {
	~int8
	fmt.Stringer
}

func Join[T Stringish](xs ...T) string {
	var p []string
	for _, x := range xs {
		p = append(p, x.String())
	}
	return strings.Join(p, "|")
}

type Tree[K cmp.Ordered, V any] struct {
	root *node[K, V]
	n    int
}
type node[K cmp.Ordered, V any] struct {
	k    K
	v    V
	l, r *node[K, V]
}

func (t *Tree[K, V]) Put(k K, v V) (old V, had bool) {
	p := &t.root
	for *p != nil {
		switch c := cmp.Compare(k, (*p).k); {
		case c < 0:
			p = &(*p).l
		case c > 0:
			p = &(*p).r
		default:
			old, (*p).v = (*p).v, v
			return old, true
		}
	}
	*p = &node[K, V]{k: k, v: v}
	t.n++
	return
}
func (t *Tree[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walk(yield) }
}
func (n *node[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.l.walk(yield) && yield(n.k, n.v) && n.r.walk(yield)
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func MkPair[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }
func (p Pair[A, B]) Swap() Pair[B, A]      { return Pair[B, A]{p.Second, p.First} }

type Opt[T any] func(*T)
type Cfg struct{ A int }

func Apply[T any](t *T, os ...Opt[T]) *T {
	for _, o := range os {
		o(t)
	}
	return t
}

type Setter[T any] interface {
	*T
	Set(string)
}
type S struct{ v string }

func (s *S) Set(x string) { s.v = x }
func FromStrings[T any, PT Setter[T]](ss []string) []T {
	r := make([]T, len(ss))
	for i, s := range ss {
		p := PT(&r[i])
		p.Set(s)
	}
	return r
}

type Eq[T any] interface{ Equal(T) bool }
type P2 struct{ x, y int }

func (a P2) Equal(b P2) bool { return a == b }
func Index[T Eq[T]](s []T, e T) int {
	for i, v := range s {
		if e.Equal(v) {
			return i
		}
	}
	return -1
}

type numErr[T any] struct{ v T }

func (e numErr[T]) Error() string { return fmt.Sprintf("bad %T %v", e.v, e.v) }

type List[T any] struct {
	next *List[T]
	val  T
}

func (l *List[T]) Push(v T) *List[T] { return &List[T]{l, v} }
func (l *List[T]) Len() int {
	if l == nil {
		return 0
	}
	return 1 + l.next.Len()
}

func zero[T any]() (z T) { return }
func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case string:
		return "string"
	case []T:
		return "slice"
	case fmt.Stringer:
		return "stringer"
	}
	return fmt.Sprintf("%T", v)
}

func main() {
	fmt.Println(Vec[int]{1, 2, 3}.Sum(), Vec[MyI]{100, 100}.Sum(), Vec[float64]{.1, .2}.Sum())
	fmt.Println(Vec[MyI]{1, 2}.Map(func(m MyI) MyI { return m * 2 }), Join(MyI(3), 4))
	var t Tree[string, []int]
	t.Put("b", []int{1})
	t.Put("a", nil)
	fmt.Println(t.Put("b", []int{2}))
	for k, v := range t.All() {
		fmt.Println(k, v, v == nil)
	}
	fmt.Printf("%T %T %v %+v\n", t, t.root, t.n, MkPair(1, "x").Swap())
	fmt.Printf("%T %#v\n", MkPair(MyI(1), []error{nil}), MkPair(MyI(1), &P2{1, 2}).Second)
	fmt.Println(Apply(&Cfg{}, func(c *Cfg) { c.A = 5 }).A)
	fmt.Println(FromStrings[S]([]string{"a", "b"}))
	fmt.Println(Index([]P2{{1, 2}, {3, 4}}, P2{3, 4}))
	err := fmt.Errorf("wrap: %w", numErr[MyI]{7})
	var ne numErr[MyI]
	var no numErr[int]
	fmt.Println(errors.As(err, &ne), errors.As(err, &no), ne, err)
	var l *List[string]
	fmt.Println(l.Push("a").Push("b").Len())
	fmt.Println(kind(1), kind("a"), kind(MyI(2)), kind([]int{}), kind(Pair[int, *List[int]]{}), zero[*Tree[int, int]]() == nil)
	f := Vec[int].Sum
	g := (*Tree[string, []int]).Put
	fmt.Printf("%T %T\n", f, g)
	type local[T any] struct{ x T }
	fmt.Printf("%T %v\n", local[Pair[int, string]]{}, local[local[int]]{local[int]{3}})
	ks := []Pair[string, int]{{"z", 1}, {"a", 2}}
	sort.Slice(ks, func(i, j int) bool { return ks[i].First < ks[j].First })
	fmt.Printf("%v %+v %#v\n", ks, ks, ks)
}
