package main

import (
	"errors"
	"fmt"
	"iter"
)

// Types that functions declare, and loops over functions that are left.

type R[T any] struct{ v T }

func (r R[T]) m() any { type U struct{ a T }; return U{r.v} }

func (r *R[T]) closure() func() any {
	return func() any { type C struct{ c T }; return &C{r.v} }
}

type N struct{ n int }

func f[T any]() any {
	type U struct{ a T }
	type L []U
	type M map[string]*U
	type F func(U) L
	type P *U
	type I interface{ M(U) }
	fmt.Printf("%T %T %T %T %T %T %T\n", U{}, &U{}, L{}, M{}, F(nil), P(nil), struct{ X U }{})
	func() {
		type K int
		fmt.Printf("%T %T %T\n", K(1), map[K]U{}, [2]K{})
	}()
	var i I
	fmt.Printf("%T %v\n", i, any(U{}) == any(U{}))
	return U{}
}

func h[A, B any]() any { type U struct{}; return U{} }

func generic[A any]() any {
	type T[B any] struct{ b B }
	type V T[bool]
	fmt.Printf("%T %T\n", V{}, []T[string]{})
	return T[A]{}
}

func plain() any { type U struct{}; return U{} }

func rec[T any](n int) any {
	type D struct{ next any }
	if n == 0 {
		return D{}
	}
	return D{rec[T](n - 1)}
}

func name(x any) string { return fmt.Sprintf("%T", x) }

type E[T any] struct{}

func (E[T]) Error() string { return name(*new(T)) }

func thrown[T any]() (err error) {
	defer func() {
		err, _ = recover().(error)
		fmt.Printf("%T\n", err)
	}()
	type bad struct{ E[T] }
	panic(bad{})
}

func asserted[T any](x any) {
	type U struct{ a T }
	defer func() { fmt.Println(recover()) }()
	fmt.Println(x.(U))
}

func types() {
	fmt.Println(name(f[int]()), name(f[*[2]N]()), name(h[int, func(string) error]()), name(plain()))
	fmt.Println(name(R[int]{}.m()), name(R[[]N]{}.m()), name((&R[string]{"s"}).closure()()))
	fmt.Println(name(rec[int](2)), rec[bool](1) == rec[bool](1), rec[int](0) == rec[uint](0))
	fmt.Println(f[int]() == f[int](), f[int]() == f[uint]())
	fmt.Println(name(generic[int]()), name(generic[[]int]()))
	err := thrown[int]()
	fmt.Println(err, errors.Unwrap(err))
	asserted[int](R[int]{1}.m())
	asserted[string](3)
}

func kept(left func(iter.Seq[int]) int) (n int, late func() any) {
	var yield func(int) bool
	n = left(func(y func(int) bool) {
		yield = y
		for i := range 3 {
			if !y(i) {
				return
			}
		}
	})
	return n, func() (thrown any) {
		defer func() { thrown = recover() }()
		return yield(9)
	}
}

func loops() {
	show := func(what string, left func(iter.Seq[int]) int) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println(what, "panics:", r)
			}
		}()
		n, late := kept(left)
		fmt.Println(what, n, late(), late())
	}
	show("to its end", func(seq iter.Seq[int]) (n int) {
		for x := range seq {
			n += x
		}
		return n
	})
	show("break", func(seq iter.Seq[int]) (n int) {
		for x := range seq {
			n += x
			break
		}
		return n
	})
	show("return", func(seq iter.Seq[int]) int {
		for x := range seq {
			return x + 5
		}
		return -1
	})
	show("outer break", func(seq iter.Seq[int]) (n int) {
	out:
		for range 2 {
			for x := range seq {
				n += x
				break out
			}
		}
		return n
	})
	show("outer continue", func(seq iter.Seq[int]) (n int) {
	out:
		for range 2 {
			for range seq {
				n++
				continue out
			}
		}
		return n
	})
	show("inner loop over a function", func(seq iter.Seq[int]) (n int) {
	out:
		for x := range seq {
			for y := range seq {
				n += x + y
				if n > 2 {
					break out
				}
				continue out
			}
		}
		return n
	})
	show("goto", func(seq iter.Seq[int]) (n int) {
		for range seq {
			n++
			goto end
		}
	end:
		return n
	})
	show("twice", func(seq iter.Seq[int]) (n int) {
		for range 2 {
			for range seq {
				n++
				break
			}
		}
		return n
	})
	show("after false", func(seq iter.Seq[int]) (n int) {
		for range func(y func(int) bool) { y(1); y(2) } {
			break
		}
		return n
	})
	show("after a panic", func(seq iter.Seq[int]) (n int) {
		defer func() { fmt.Println("recovered", recover()) }()
		for range seq {
			panic("in it")
		}
		return n
	})
	show("with a defer", func(seq iter.Seq[int]) (n int) {
		for range seq {
			defer func() { n += 10 }()
			break
		}
		return n
	})
}

func main() {
	types()
	loops()
}
