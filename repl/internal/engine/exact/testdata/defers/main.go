package main

import "fmt"

func try(name string, f func()) {
	defer func() { fmt.Println(name, "outer:", recover()) }()
	f()
	fmt.Println(name, "ended")
}

type R struct{}

func (R) rec()     { fmt.Println("rec", recover()) }
func (r *R) prec() { fmt.Println("prec", recover()) }

type RI interface{ rec() }

func gen[T any](x T) { fmt.Println("gen", x, recover()) }

type E struct{ R }

func main() {
	try("direct", func() { defer recover(); panic(1) })
	try("nested", func() { defer func() { defer recover() }(); panic(2) })
	try("nested2", func() { defer func() { defer func() { defer recover() }() }(); panic(3) })
	try("twice", func() { defer func() { fmt.Println("r", recover()) }(); defer recover(); panic(4) })
	try("loop", func() {
		for range 2 {
			defer recover()
		}
		panic(5)
	})
	try("methodvalue", func() { var r R; f := r.rec; defer f(); panic(6) })
	try("methodvalue2", func() { var r R; defer r.prec(); panic(7) })
	try("iface", func() { var r RI = R{}; defer r.rec(); panic(8) })
	try("methodexpr", func() { defer R.rec(R{}); panic(9) })
	try("embedded", func() { var e E; defer e.rec(); panic(10) })
	try("embeddediface", func() { var e RI = &E{}; defer e.rec(); panic(11) })
	try("generic", func() { defer gen(3); panic(12) })
	try("genericvalue", func() { f := gen[string]; defer f("x"); panic(13) })
	try("in panicking deferred", func() {
		defer func() { defer func() { fmt.Println("in", recover()) }(); defer recover(); panic(15) }()
		panic(14)
	})
	try("defer panic", func() { defer panic("d") })
	try("defer panic2", func() { defer panic("d2"); panic("first") })
	try("defer panic nil", func() { var a any; defer panic(a) })
	try("defer panic err", func() { defer func() { fmt.Println("got", recover()) }(); defer panic(fmt.Errorf("e")) })
	try("close nil", func() { var c chan int; defer close(c) })
	try("close twice", func() { c := make(chan int); defer close(c); close(c) })
	try("delete", func() {
		m := map[string]int{"a": 1}
		func() { defer delete(m, "a"); fmt.Println(len(m)) }()
		fmt.Println(len(m))
	})
	try("delete nil", func() { var m map[string]int; defer delete(m, "a") })
	try("delete unhashable", func() { m := map[any]int{1: 1}; defer delete(m, any([]int{1})) })
	try("delete unhashable nil", func() { var m map[any]int; defer delete(m, any([]int{1})) })
	try("copy", func() {
		a := []int{1, 2}
		func() { defer copy(a, []int{7, 8, 9}) }()
		fmt.Println(a)
		b := []byte("abc")
		func() { defer copy(b, "xy") }()
		fmt.Println(string(b))
	})
	try("clear", func() {
		a := []int{1, 2}
		m := map[int]int{1: 1}
		func() { defer clear(a); defer clear(m) }()
		fmt.Println(a, m)
	})
	try("go", func() { c := make(chan int); go close(c); <-c; fmt.Println("closed") })
	try("repanic", func() { defer func() { r := recover(); fmt.Println("re", r); defer recover(); panic(r) }(); panic(20) })
	f := func() any { return recover() }
	try("closure value", func() { defer f(); panic(21) })
	try("arg", func() { defer fmt.Println("arg", recover()); panic(22) })
	try("param", func() { g := func(h func() any) { fmt.Println("p", h()) }; defer g(f); panic(23) })
	try("named", func() {
		fmt.Println(func() (s string, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("%v", r)
				}
			}()
			s = "set"
			defer recover()
			panic(24)
		}())
	})
	try("rangefunc", func() {
		for x := range func(y func(int) bool) { y(1) } {
			defer recover()
			_ = x
			panic(25)
		}
	})
	try("goexit-ish", func() {
		done := make(chan bool)
		go func() { defer close(done); defer func() { fmt.Println("g", recover()) }(); defer recover(); panic(26) }()
		<-done
	})
}
