package main

import (
	"fmt"
	"iter"
	"strings"
)

var (
	p   *[10]int
	pv          = &[10]int{1, 2, 3}
	u64 uint64  = 1<<63 + 5
	u32 uint32  = 1 << 31
	u8  uint8   = 200
	i8  int8    = -3
	up  uintptr = 77
	i64 int64   = -9
	s           = []int{1, 2, 3}
	str         = "hello"
)

var tried int

// try says how f ended.
func try(f func()) {
	tried++
	defer func() {
		r := recover()
		_, ofRuntime := r.(interface{ RuntimeError() })
		fmt.Printf("%d: %T %v %v\n", tried, r, r, ofRuntime)
	}()
	f()
}

type T struct{ points []struct{ x, y int } }

var none *T

func val() int      { fmt.Print("val "); return 1 }
func idx(i int) int { fmt.Print("idx ", i, " "); return i }

type (
	I interface{ M() }
	J interface{ N() }
	A struct{ a int }
)

func (A) M() {}

type B int

func (*B) M() {}

type rows struct {
	grid [3][2]int
	row  *[4]int
}

func unread() {
	var r *rows
	var rs []rows
	var to *[2]*[3]int
	list := func() *rows { fmt.Print("called "); return nil }
	lists := make(chan *rows, 1)
	lists <- nil
	try(func() {
		for i := range r.grid {
			fmt.Print(i)
		}
	})
	try(func() {
		for range r.row {
			fmt.Print("r")
		}
	})
	try(func() {
		for i := range *r.row {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range rs[5].grid[2] {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range (*to)[1] {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range list().grid {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range (<-lists).grid {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range ([3][2]int)(r.grid) {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range r.grid[len([2]int{})] {
			fmt.Print(i)
		}
	})
	try(func() {
		for i, v := range r.row {
			fmt.Print(i, v)
		}
	})
	try(func() {
		for i := range [...]int{val(), val()} {
			fmt.Print(i)
		}
	})
	try(func() {
		for i := range [...]func() int{val} {
			fmt.Print(i)
		}
	})
	try(func() { fmt.Println(len(r.grid), cap(r.row), len(rs[4].grid[1])) })
}

func main() {
	unread()
	language()
	methods()
	loops()
}

func language() {
	try(func() { _ = s[u64] })
	try(func() { _ = s[u32] })
	try(func() { _ = s[u8] })
	try(func() { _ = s[i8] })
	try(func() { _ = s[up] })
	try(func() { _ = s[i64] })
	try(func() { _ = str[u64] })
	try(func() { _ = str[i8] })
	try(func() { _ = s[:u64] })
	try(func() { _ = s[:u8] })
	try(func() { _ = s[u8:] })
	try(func() { _ = s[i8:] })
	try(func() { _ = s[2:i8] })
	try(func() { _ = s[u64:] })
	try(func() { _ = s[:2:u8] })
	try(func() { _ = s[:2:u64] })
	try(func() { _ = s[:u8:3] })
	try(func() { _ = s[u8:3:3] })
	try(func() { _ = s[i8:2:i8] })
	try(func() { _ = pv[:u8] })
	try(func() { _ = pv[u8:] })
	try(func() { _ = pv[:u64] })
	try(func() { _ = pv[u64] })
	try(func() { _ = pv[i8] })
	try(func() { _ = p[:u8] })
	try(func() { _ = p[u8] })
	try(func() { _ = p[:] })
	try(func() { _ = str[u8:] })
	try(func() { _ = str[:u64] })
	try(func() { _ = str[3:i8] })
	try(func() { x := 3; _ = str[4:x] })
	try(func() { x := 1; _ = s[2:x] })
	try(func() { x := 1; _ = s[2:3:x] })
	try(func() { _ = [4]int(s) })
	try(func() { _ = (*[4]int)(s) })
	try(func() { panic(nil) })
	try(func() { var e error; panic(e) })
	try(func() { n := -1; _ = make([]int, n) })
	try(func() { n := 1; _ = make([]int, 2, n) })
	try(func() { _ = make([]int, u64) })
	try(func() { _ = make([]int, i8) })
	try(func() { n := -1; _ = make(chan int, n) })
	try(func() { _ = make(chan int, u64) })
	try(func() { none.points[idx(0)].x = val() })
	try(func() { t := &T{}; t.points[idx(0)].x = val() })
	try(func() { var m map[string]int; m[fmt.Sprint(idx(1))] = val() })
	try(func() { var q *int; *q = val() })
	try(func() { var q *int; *q += val() })
	try(func() { var a any = 3; _ = a.(string) })
	try(func() { var a any; _ = a.(string) })
	try(func() { var a any = 3; _ = a.(I) })
	try(func() { var a any = A{}; _ = a.(J) })
	try(func() { var a any = B(1); _ = a.(I) })
	try(func() { var a I = A{}; _ = a.(J) })
	try(func() { var a I; _ = a.(J) })
	try(func() { var a I; a.M() })
	try(func() { var f func(); f() })
	try(func() { x := 0; _ = 1 / x })
	try(func() { x := -1; _ = 1 << x })
	try(func() { _ = 1 << i8 })
	try(func() { var c chan int; close(c) })
	try(func() { c := make(chan int); close(c); close(c) })
	try(func() { c := make(chan int); close(c); c <- 1 })
	try(func() { m := map[any]int{}; m[[]int{}] = 1 })
	try(func() { m := map[any]int{}; _ = m[func() {}] })
	try(func() { var a, b any = []int{}, []int{}; _ = a == b })
	try(func() { var a, b any = struct{ f func() }{}, struct{ f func() }{}; _ = a == b })
	try(func() { _ = strings.Repeat("x", int(i8)) })
	try(func() { var x, y *T; x.points, y.points = y.points, x.points })
	try(func() {
		for range none.points {
		}
	})
	try(func() {
		var q *[5]int
		for i := range q {
			fmt.Print(i)
		}
	})
	try(func() {
		var q *[5]int
		for i, v := range q {
			fmt.Print(i, v)
		}
	})
	try(func() { var q *[5]int; fmt.Println(len(q), cap(q)); q[2] = val() })
	try(func() { s[idx(5)] = val() })
	try(func() { s[idx(5)], s[idx(1)] = val(), val() })
	try(func() { s[idx(1)], s[idx(5)] = 8, 9; fmt.Println(s) })
	try(func() { fmt.Println(s); none.points = nil })
	try(func() { x := 1 << 62; _ = make([]int64, x) })
	try(func() { s[idx(7)]++ })
	try(func() { s[idx(7)] += val() })
	try(func() { copy(none.points, none.points) })
	try(func() { xs := append(none.points, struct{ x, y int }{val(), 2}); xs[0].x = 1 })
	try(func() { t := T{}; t.points[0] = struct{ x, y int }{val(), 1} })
	try(func() { var pp **int; **pp = val() })
	try(func() { var mm map[string]map[string]int; mm["a"]["b"] = val() })
	try(func() { var mm map[string]*T; mm["a"].points = nil })
	try(func() { var fs []func(int); fs[idx(0)](val()) })
	try(func() { var f func(int); f(val()) })
	try(func() { var a I; defer a.M() })
	try(func() { var f func(); defer f() })
	try(func() { defer none.f() })
	try(func() { go none.g() })
	try(func() { x := none.f; x() })
	try(func() { var a I; x := a.M; x() })
	try(func() { var arr [3]int; i := 5; arr[i] = 1 })
	try(func() { const c = "abc"; i := 5; _ = c[i] })
	try(func() { _ = []int{1, 2}[idx(3)] })
	try(func() { _ = map[string][]int{}["x"][idx(0)] })
	try(func() { var e *errT; var err error = e; _ = err.Error() })
}

type errT struct{ s string }

func (e errT) Error() string { return e.s }
func (t T) f()               {}
func (t T) g()               {}

type Text string

func (x Text) String() string { return fmt.Sprint("S4<", string(x), ">") }

type U struct{ a int }

func (x U) String() string { return fmt.Sprint("U", x.a) }

type E struct {
	n int
	U
}
type F struct {
	n int
	*U
}
type G[X any] struct{ x X }

func (g G[X]) String() string { return fmt.Sprint("G", g.x) }

func methods() {
	try(func() {
		switch x := any((*Text)(nil)).(type) {
		case fmt.Stringer:
			fmt.Println(x.String())
		}
	})
	try(func() {
		switch x := any((*U)(nil)).(type) {
		case fmt.Stringer:
			fmt.Println(x.String())
		}
	})
	try(func() {
		var x fmt.Stringer = (*Text)(nil)
		fmt.Println(x.String())
	})
	xs := []any{(*Text)(nil), (*U)(nil), (*E)(nil), (*F)(nil), &F{}, F{}, (*G[int])(nil)}
	for _, x := range xs {
		try(func() { fmt.Println(x.(fmt.Stringer).String()) })
		try(func() { f := x.(fmt.Stringer).String; fmt.Println(f()) })
		try(func() { defer x.(fmt.Stringer).String() })
	}
	try(func() { f := fmt.Stringer.String; fmt.Println(f((*Text)(nil))) })
	try(func() { f := (*Text).String; fmt.Println(f((*Text)(nil))) })
	try(func() { f := (*Text)(nil).String; fmt.Println(f()) })
	try(func() { fmt.Println(any((*U)(nil)).(fmt.Stringer).String()) })
	try(func() { fmt.Println(any((*E)(nil)).(fmt.Stringer).String()) })
	try(func() { fmt.Println(any((*F)(nil)).(fmt.Stringer).String()) })
	try(func() { fmt.Println(any(&F{}).(fmt.Stringer).String()) })
	try(func() { fmt.Println(any(F{}).(fmt.Stringer).String()) })
	try(func() { fmt.Println(fmt.Stringer((*G[int])(nil)).String()) })
	try(func() { var p *Text; var x fmt.Stringer; x = p; fmt.Println(x.String()) })
	try(func() {
		var p *Text
		var x fmt.Stringer = Text("a")
		if len(xs) > 1 {
			x = p
		}
		fmt.Println(x.String())
	})
	try(func() {
		var p *Text
		var x fmt.Stringer
		if len(xs) > 1 {
			x = p
		}
		fmt.Println(x.String())
	})
	try(func() { var p *Text; var x fmt.Stringer = p; y := &x; fmt.Println((*y).String()) })
	try(func() { var p *Text; var x fmt.Stringer = p; defer x.String() })
	try(func() { var p *Text; x := []fmt.Stringer{p}; fmt.Println(x[0].String()) })
	try(func() {
		var p *Text
		if x, ok := any(p).(fmt.Stringer); ok {
			fmt.Println(x.String())
		}
	})
}

var yes = true

func swallow(yield func() bool) { defer func() { fmt.Print("rec ", recover(), " ") }(); yield() }

func swallow1(yield func(int) bool) { defer func() { fmt.Print("rec ", recover(), " ") }(); yield(1) }

func loops() {
	var again func(int) bool
	bad := iter.Seq[int](func(yield func(int) bool) { again = yield; yield(1); defer func() { recover() }(); yield(2) })
	try(func() {
		for range bad {
		}
		again(1)
	})
	try(func() {
		for range bad {
			break
		}
	})
	try(func() {
		for range bad {
			panic("x")
		}
	})
	try(func() {
		for range func(yield func() bool) { defer func() { recover() }(); yield() } {
			panic("y")
		}
	})
	try(func() {
		for range func(yield func() bool) { yield(); yield() } {
			break
		}
	})

	try(func() {
		for range swallow {
			panic("y")
		}
	})
	try(func() {
		for range swallow {
			if yes {
				panic("y")
			}
		}
	})
	try(func() {
		for range swallow1 {
			if yes {
				panic("y")
			}
		}
	})
	try(func() {
		for i := range swallow1 {
			if yes {
				panic(i)
			}
		}
	})
	try(func() {
		for i := range swallow1 {
			if yes {
				panic(i)
			}
			fmt.Println(i)
		}
		fmt.Print("after ")
	})
	try(func() {
		for range swallow {
			var m map[string]int
			m["a"] = 1
		}
	})
	try(func() {
		for range swallow {
			for range swallow {
				panic("in")
			}
		}
	})
	f := func() (s string) {
		for range swallow {
			defer func() { s += "d" }()
			if yes {
				panic("y")
			}
			return "r"
		}
		return "e"
	}
	try(func() { fmt.Print(f()) })

	var more func() bool
	loop := func(yield func() bool) { more = yield; yield() }
	try(func() {
		for range loop {
		}
		func() { defer func() { fmt.Println("first", recover()) }(); more() }()
		more()
	})
	try(func() {
		for range loop {
			func() { defer func() { fmt.Println("first", recover()) }(); more() }()
			func() { defer func() { fmt.Println("first", recover()) }(); more() }()
		}
	})
	try(func() {
		for range func(yield func() bool) {
			yield()
			func() { defer func() { fmt.Println("first", recover()) }(); yield() }()
			yield()
		} {
			break
		}
	})
	try(func() {
		for range func(yield func() bool) {
			yield()
			func() { defer func() { fmt.Println("first", recover()) }(); yield() }()
		} {
			break
		}
	})
}
