package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type Level int

func (l Level) String() string               { return [...]string{"lo", "hi"}[l] }
func (l Level) MarshalJSON() ([]byte, error) { return []byte(`"` + l.String() + `"`), nil }

type Meta struct {
	Level
	Tags map[string]any `json:"tags"`
}
type Named struct {
	Meta `json:"meta"`
	ID   int
}
type Visitor interface {
	Visit(n Node) (w Visitor)
}
type Node interface{ Kids() []Node }
type leaf string
type branch []Node

func (leaf) Kids() []Node     { return nil }
func (b branch) Kids() []Node { return b }

type vf func(Node) Visitor

func (f vf) Visit(n Node) Visitor { return f(n) }
func walk(v Visitor, n Node) {
	if v = v.Visit(n); v == nil {
		return
	}
	for _, k := range n.Kids() {
		walk(v, k)
	}
	v.Visit(nil)
}

type Matrix[T ~float64 | ~int] [][]T

func (m Matrix[T]) Mul(o Matrix[T]) Matrix[T] {
	r := make(Matrix[T], len(m))
	for i := range m {
		r[i] = make([]T, len(o[0]))
		for j := range o[0] {
			for k := range o {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return r
}

type Cache[K comparable, V any] struct {
	mu   sync.Mutex
	m    map[K]*entry[K, V]
	head *entry[K, V]
	cap  int
	miss atomic.Int64
	last atomic.Pointer[entry[K, V]]
}
type entry[K comparable, V any] struct {
	k          K
	v          V
	prev, next *entry[K, V]
}

func NewCache[K comparable, V any](n int) *Cache[K, V] {
	c := &Cache[K, V]{m: make(map[K]*entry[K, V]), cap: n, head: &entry[K, V]{}}
	c.head.prev, c.head.next = c.head, c.head
	return c
}
func (c *Cache[K, V]) Get(k K, make func(K) (V, error)) (v V, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.m[k]; ok {
		c.last.Store(e)
		return e.v, nil
	}
	c.miss.Add(1)
	if v, err = make(k); err != nil {
		return v, fmt.Errorf("making %v: %w", k, err)
	}
	e := &entry[K, V]{k: k, v: v, prev: c.head, next: c.head.next}
	e.prev.next, e.next.prev = e, e
	c.m[k] = e
	if len(c.m) > c.cap {
		old := c.head.prev
		old.prev.next, c.head.prev = c.head, old.prev
		delete(c.m, old.k)
	}
	return
}

type temporary interface{ Temporary() bool }
type netErr struct {
	op string
	error
}

func (n netErr) Temporary() bool { return n.op == "dial" }
func (n netErr) Unwrap() error   { return n.error }

type upper struct{ io.Writer }

func (u upper) Write(p []byte) (int, error) { return u.Writer.Write(bytes.ToUpper(p)) }

type Feed struct {
	XMLName xml.Name `xml:"feed"`
	Items   []Item   `xml:"item"`
	Any     []any    `xml:"-"`
}
type Item struct {
	Title string `xml:"title"`
	When  stamp  `xml:"when,attr"`
	Inner string `xml:",innerxml"`
}
type stamp struct{ time.Time }

func (s *stamp) UnmarshalXMLAttr(a xml.Attr) (err error) {
	s.Time, err = time.Parse("2006", a.Value)
	return
}
func (s stamp) MarshalXMLAttr(n xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: n, Value: s.Format("06")}, nil
}

type sortBy[T any] struct {
	xs   []T
	less func(a, b T) bool
}

func (s sortBy[T]) Len() int           { return len(s.xs) }
func (s sortBy[T]) Less(i, j int) bool { return s.less(s.xs[i], s.xs[j]) }
func (s sortBy[T]) Swap(i, j int)      { s.xs[i], s.xs[j] = s.xs[j], s.xs[i] }

type weekday uint

const (
	mon weekday = iota + 1
	tue
)

type state func(*machine) state
type machine struct {
	in  []rune
	out []string
	buf strings.Builder
}

func start(m *machine) state {
	if len(m.in) == 0 {
		return nil
	}
	if m.in[0] == ' ' {
		m.in = m.in[1:]
		return start
	}
	return word
}
func word(m *machine) state {
	for len(m.in) > 0 && m.in[0] != ' ' {
		m.buf.WriteRune(m.in[0])
		m.in = m.in[1:]
	}
	m.out = append(m.out, m.buf.String())
	m.buf.Reset()
	return start
}

func main() {
	b, err := json.Marshal(Named{Meta{1, map[string]any{"x": []Level{0, 1}, "f": 1.5e-9, "n": nil}}, 3})
	fmt.Println(string(b), err)
	fmt.Printf("%v %+v %d\n", Meta{Level: 1}, []Level{0}, Level(1))
	depth := 0
	var v vf
	v = func(n Node) Visitor {
		if n == nil {
			depth--
			return nil
		}
		fmt.Print(strings.Repeat(" ", depth), n, ";")
		depth++
		if _, ok := n.(leaf); ok {
			depth--
			return nil
		}
		return v
	}
	walk(v, branch{leaf("a"), branch{leaf("b")}, leaf("c")})
	fmt.Println(depth)
	fmt.Println(Matrix[float64]{{1, 2}, {3, 4}}.Mul(Matrix[float64]{{0, 1}, {1, 0}}))
	c := NewCache[[2]string, *int](2)
	for _, k := range []string{"a", "b", "a", "c", "b", "!"} {
		p, err := c.Get([2]string{k, k}, func(k [2]string) (*int, error) {
			if k[0] == "!" {
				return nil, netErr{"dial", io.ErrUnexpectedEOF}
			}
			n := len(c.m)
			return &n, nil
		})
		var t temporary
		fmt.Print(p != nil, err, errors.As(err, &t), errors.Is(err, io.ErrUnexpectedEOF), c.miss.Load(), "|")
	}
	fmt.Println(c.last.Load().k)
	var sb strings.Builder
	fmt.Fprintf(io.MultiWriter(upper{&sb}, &sb), "hi %s", leaf("x"))
	fmt.Println(sb.String())
	var f Feed
	err = xml.Unmarshal([]byte(`<feed><item when="2020"><title>A&amp;B</title></item><item when="x"/></feed>`), &f)
	fmt.Println(err, len(f.Items), f.Items[0].Title, f.Items[0].When.Year(), f.Items[0].Inner)
	f.Items = f.Items[:1]
	f.Items[0].Inner = ""
	xb, err := xml.Marshal(f)
	fmt.Println(string(xb), err)
	s := sortBy[weekday]{[]weekday{tue, mon, 7}, func(a, b weekday) bool { return a > b }}
	sort.Sort(s)
	fmt.Println(s.xs, sort.IsSorted(s), sort.Search(3, func(i int) bool { return s.xs[i] <= 2 }))
	m := &machine{in: []rune("ab  c é")}
	for st := state(start); st != nil; {
		st = st(m)
	}
	fmt.Printf("%q\n", m.out)
	nested := map[string]map[int][]struct {
		A *int
		B any
	}{"k": {2: {{nil, 1}, {nil, "x"}}, 1: nil}}
	fmt.Printf("%v %+v %#v\n", nested, nested, nested["k"][1])
	type cyc struct {
		next *cyc
		n    int
	}
	x := &cyc{n: 1}
	x.next = x
	fmt.Println(x.next.next.n, fmt.Sprintf("%+v", *x) != "")
	fmt.Printf("%08.3f|%+.2e|%x|%X|%t|%v|%6.2f%%|%*d|%-*d|\n", math.Pi, 12345.678, 3.5, -1, true, math.Inf(-1), 45.678, 5, 42, 5, 42)
	fmt.Printf("%[2]*[1]d|%[3]q|%#q|%+q|%x|% X|%c|%U\n", 7, 4, "a\"b", "a`b", "é", []byte("ab"), "ab", 0x1F600, 0x1F600)
	fmt.Printf("%v %v %v\n", []any{nil, 1, "a", []int(nil), map[string]int(nil), (*int)(nil), error(nil)}, struct{}{}, [0]int{})
	fmt.Println(slices.SortedFunc(maps.Keys(map[string]int{"b": 1, "a": 2, "c": 0}), func(a, b string) int { return strings.Compare(b, a) }))
	var arr [3][2]map[string]int
	arr[1][0] = map[string]int{"z": 1}
	brr := arr
	brr[1][0]["z"]++
	brr[2][1] = nil
	fmt.Println(arr, brr[1][0]["z"], len(arr[0]))
	func() {
		defer func() {
			r := recover()
			err, _ := r.(error)
			fmt.Println(r, errors.Unwrap(err))
		}()
		defer func() {
			if r := recover(); r != nil {
				panic(fmt.Errorf("again: %w", r.(error)))
			}
		}()
		var mm map[string][]int
		mm["a"] = append(mm["a"], 1)
	}()
	var e1, e2 any = struct{ f []int }{}, struct{ f []int }{}
	func() { defer func() { fmt.Println(recover()) }(); fmt.Println(e1 == e2) }()
	type key struct{ a any }
	func() { defer func() { fmt.Println(recover()) }(); _ = map[key]int{{[]int{}}: 1} }()
	fmt.Println(e1 != nil, any(key{1}) == any(key{1}), any(key{1}) == any(key{int8(1)}))
	ch := make(chan func() (int, error), 1)
	ch <- func() (int, error) { return 1, io.EOF }
	fmt.Println((<-ch)())
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Print("once ") })
	}
	a, bb := 1, 2
	pa, pb := &a, &bb
	*pa, *pb = *pb, *pa
	fmt.Println(a, bb, func(xs ...func() int) (n int) {
		for _, f := range xs {
			n += f()
		}
		return
	}(func() int { return 1 }, func() int { return a }))
	lbl := 0
loop:
	for {
		switch {
		case lbl < 3:
			lbl++
			goto loop
		default:
			break loop
		}
	}
	fmt.Println(lbl, uint8(255)+uint8(lbl), int32(math.MaxInt32)+int32(lbl), -5>>1, uint32(1)<<31>>31, 1<<lbl|1)
	r := strings.NewReader("3 4.5 word\n")
	var i int
	var fl float64
	var wd string
	n, err := fmt.Fscan(r, &i, &fl, &wd)
	fmt.Println(n, err, i, fl, wd)
	tm := time.NewTimer(time.Hour)
	go func() { time.Sleep(time.Millisecond); tm.Reset(0) }()
	<-tm.C
	select {
	case <-time.After(time.Millisecond):
		fmt.Println("timed")
	}
}
