package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Println("count done")
		for i := range n {
			if !yield(i) {
				fmt.Println("stopped at", i)
				return
			}
		}
	}
}
func zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		na, sa := iter.Pull(a)
		defer sa()
		nb, sb := iter.Pull(b)
		defer sb()
		for {
			x, ok1 := na()
			y, ok2 := nb()
			if !ok1 || !ok2 || !yield(x, y) {
				return
			}
		}
	}
}
func find() (r string) {
	defer func() { r += "!" }()
	for i := range count(10) {
		for j := range count(3) {
			defer func() { r += fmt.Sprint("d", i, j) }()
			if i == 1 && j == 1 {
				return "found"
			}
			if j == 2 {
				break
			}
		}
	}
	return "none"
}
func main() {
	next, stop := iter.Pull(count(3))
	for {
		v, ok := next()
		fmt.Println(v, ok)
		if !ok {
			break
		}
	}
	stop()
	n2, s2 := iter.Pull2(maps.All(map[string]int{"a": 1}))
	fmt.Println(n2())
	s2()
	fmt.Println(n2())
	for a, b := range zip(count(4), slices.Values([]string{"x", "y"})) {
		fmt.Println(a, b)
	}
	fmt.Println(find())
	func() {
		defer func() { fmt.Println("rec", recover()) }()
		next, stop := iter.Pull(func(yield func(int) bool) { yield(1); panic("in seq") })
		defer stop()
		fmt.Println(next())
		fmt.Println(next())
	}()
	func() {
		defer func() { r := recover(); fmt.Printf("%v %T\n", r, r) }()
		var keep func(int) bool
		for x := range func(yield func(int) bool) { keep = yield; yield(1) } {
			fmt.Println("x", x)
		}
		keep(2)
	}()
outer:
	for i := range count(5) {
		for j := range count(5) {
			switch {
			case j == 1 && i == 0:
				continue outer
			case i == 1:
				break outer
			}
			fmt.Println(i, j)
		}
	}
	for range 3 {
		fmt.Print(".")
	}
	type N uint8
	for i := range N(3) {
		fmt.Printf("%T%v ", i, i)
	}
	fmt.Println(slices.Collect(maps.Keys(map[int]bool{4: true})), slices.Sorted(maps.Values(map[int]int{1: 3, 2: 1})))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, cap(c))
	}
	fmt.Println()
}
