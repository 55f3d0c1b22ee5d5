package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

type T struct{ n int }

func (t T) V(s string)  { fmt.Println("V", t.n, s) }
func (t *T) P(s string) { fmt.Println("P", t.n, s) }

func order() (x int) {
	t := T{1}
	defer t.V("a")
	defer t.P("b")
	t.n = 2
	for i := range 3 {
		defer func(j int) { fmt.Println(i, j, x); x += i }(i * 10)
	}
	f := func() { fmt.Println("f1") }
	defer f()
	f = func() { fmt.Println("f2") }
	return 100
}
func rep() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rec: %v", r)
		}
	}()
	defer func() {
		defer func() { fmt.Println("inner", recover()) }()
		panic("second")
	}()
	panic("first")
}
func repanic() {
	defer func() {
		r := recover()
		fmt.Printf("%v %T\n", r, r)
	}()
	defer func() {
		r := recover()
		panic(fmt.Errorf("re: %v", r))
	}()
	panic(errors.New("orig"))
}
func nilfn() {
	defer func() { fmt.Println(recover()) }()
	var f func()
	defer f()
	fmt.Println("before")
}
func nilpanic() {
	defer func() { r := recover(); fmt.Printf("%v %T\n", r, r) }()
	panic(nil)
}
func rterr() {
	for _, f := range []func(){
		func() { var m map[string]int; m["a"] = 1 },
		func() { a := []int{1}; i := 5; _ = a[i] },
		func() { a := []int{1}; i := -1; _ = a[i] },
		func() { a := []int{1}; i, j := 3, 2; _ = a[i:j] },
		func() { a := [4]int{1}; i, j := 3, 2; _ = a[i:j] },
		func() { a := "abc"; i := 9; _ = a[i:] },
		func() { a := []int{1}; i := 9; _ = a[:1:i] },
		func() { var p *T; _ = p.n },
		func() { var p *T; p.V("x") },
		func() { x := 0; _ = 1 / x },
		func() { var e any = "s"; _ = e.(int) },
		func() { var e any; _ = e.(int) },
		func() { var e any = T{}; _ = e.(fmt.Stringer) },
		func() { var e fmt.Stringer; _ = e.String() },
		func() { var e any = []int{}; m := map[any]int{}; m[e] = 1 },
		func() { var a, b any = []int{}, []int{}; _ = a == b },
		func() { type U struct{ f func() }; var a, b any = U{}, U{}; _ = a == b },
		func() { s := []int{1, 2}; _ = [3]int(s) },
		func() { n := -1; _ = make([]int, n) },
		func() { n := -1; _ = make(chan int, n) },
		func() { var c chan int; close(c) },
		func() { c := make(chan int); close(c); close(c) },
		func() { c := make(chan int); close(c); c <- 1 },
		func() { n := -1; _ = 1 << n },
		func() { panic(fmt.Sprintf("%d", 3)) },
		func() { _ = strings.Repeat("x", -1) },
		func() { var wg sync.WaitGroup; wg.Done() },
	} {
		func() {
			defer func() {
				r := recover()
				_, is := r.(interface {
					error
					RuntimeError()
				})
				e, ise := r.(error)
				fmt.Printf("%v | %T | %v %v", r, r, is, ise)
				if ise {
					var re interface {
						error
						RuntimeError()
					}
					fmt.Print(" ", errors.As(e, &re))
				}
				fmt.Println()
			}()
			f()
		}()
	}
}
func named() (a, b int, err error) {
	defer func() {
		if e := recover(); e != nil {
			a, err = 7, e.(error)
		}
	}()
	a, b = 1, 2
	var p *int
	a = *p
	return 3, 4, nil
}

func main() {
	fmt.Println(order())
	fmt.Println(rep())
	repanic()
	nilfn()
	nilpanic()
	rterr()
	fmt.Println(named())
	fmt.Fprintln(os.Stdout, "end")
}
