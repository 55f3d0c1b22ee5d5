package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Fields without a name: literals do not set them, and nothing compares them.

type row struct {
	_  int
	ID int
	_  string
}

type pair struct {
	A, _ int
}

type nested struct {
	P pair
	_ [3]pair
	N string
}

type wide struct {
	_ any
	_ func() int
	V int
}

type generic[T any] struct {
	_ T
	V T
}

type set[T comparable] map[T]struct{}

func (s set[T]) add(xs ...T) int {
	for _, x := range xs {
		s[x] = struct{}{}
	}
	return len(s)
}

func note(s string, n int) int { fmt.Print(s, " "); return n }

func same[T comparable](a, b T) bool { return a == b }

func main() {
	a, b, c := row{1, 2, "a"}, row{5, 2, "b"}, row{1, 3, "a"}
	fmt.Println(a == b, a == c, a != b, same(a, b), any(a) == any(b))
	fmt.Println(a, b, pair{1, 5}, &pair{2, 6}, []pair{{3, 7}}, map[string]pair{"k": {4, 8}})
	fmt.Printf("%+v %#v %v\n", a, pair{1, 5}, nested{pair{1, 2}, [3]pair{{3, 4}}, "n"})
	x := pair{note("first", 1), note("second", 2)}
	fmt.Println(x)
	x = pair{x.A + 1, 9}
	p := &x
	*p = pair{p.A + 1, 10}
	fmt.Println(x, *p, pair(x), struct{ A, _ int }{7, 8})

	m := map[row]string{a: "first"}
	m[b] = "second"
	m[row{ID: 3}] = "third"
	fmt.Println(len(m), m[a], m[row{9, 2, "z"}])
	delete(m, row{7, 2, "y"})
	fmt.Println(len(m), m[c])
	fmt.Println(set[row]{}.add(a, b, c), set[[2]pair]{}.add([2]pair{{1, 2}, {3, 4}}, [2]pair{{1, 5}, {3, 6}}), set[any]{}.add(a, b, c, x))
	inner := map[nested]int{}
	for i := range 3 {
		inner[nested{pair{1, i}, [3]pair{{i, i}}, "n"}] += i
	}
	fmt.Println(len(inner), inner[nested{P: pair{A: 1}, N: "n"}])
	fmt.Println(maps.Equal(map[pair]int{{1, 2}: 3}, map[pair]int{{1, 9}: 3}))

	rows := []row{c, b, a, a, {8, 3, "q"}}
	fmt.Println(slices.Index(rows, a), slices.Contains(rows, row{ID: 3}), len(slices.Compact(slices.Clone(rows))), slices.Equal(rows[1:3], rows[2:4]))
	switch a {
	case c:
		fmt.Println("c")
	case b:
		fmt.Println("b")
	}
	switch v := any(a).(type) {
	case row:
		fmt.Println(v.ID, v == b)
	}
	var sm sync.Map
	sm.Store(a, 1)
	v, ok := sm.Load(b)
	_, missing := sm.LoadOrStore(c, 2)
	fmt.Println(v, ok, missing)
	fmt.Println(generic[int]{1, 2} == generic[int]{3, 2}, generic[string]{"x", "y"})
	fmt.Println(wide{1, func() int { return 1 }, 4}.V, [2]row{a, c} == [2]row{b, c})
	ch := make(chan pair, 1)
	ch <- pair{1, 2}
	got := <-ch
	text, err := json.Marshal([]any{got, a, struct {
		_ int `json:"hidden"`
		B int
	}{1, 2}})
	fmt.Println(got, string(text), err)
	defer func() { r := recover(); fmt.Println(r, r == any(pair{1, 3})) }()
	panic(pair{1, 2})
}
