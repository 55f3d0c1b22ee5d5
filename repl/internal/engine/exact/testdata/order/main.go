package main

import "fmt"

var g = []byte("abc")

func ch() int { g[0]++; return 1 }

type item struct{ a int }

func (i item) sum(k int) int   { return i.a*100 + k }
func (i *item) bump(k int) int { i.a += k; return i.a }
func (i item) get() int        { return i.a }

func use(h func() int, k int) int { return h()*100 + k }

func methods() {
	type pair struct {
		f func() int
		n int
	}
	q := &item{1}
	fmt.Println(q.sum(q.bump(3)), use(q.get, q.bump(3)))
	x := q.get
	fmt.Println(x(), q.bump(1), x())
	h, n := q.get, q.bump(5)
	fmt.Println(h(), n)
	fs := []func() int{q.get, func() int { return q.bump(7) }, q.get}
	fmt.Println(fs[0](), fs[1](), fs[2](), q.get())
	p := pair{q.get, q.bump(9)}
	fmt.Println(p.f(), p.n, q.a)
}

type pair struct{ a, b int }

func (p pair) Sum() int        { return p.a*10 + p.b }
func (p pair) Add(n int) int   { return p.a*100 + n }
func (p *pair) Bump(k int) int { p.a += k; return p.a }

type holder struct{ *pair }

// receivers are read through pointers, for which no expression stands.
func receivers() {
	use := func(f func() int, n int) int { return f()*100 + n }
	p, q := pair{1, 2}, &pair{1, 2}
	fmt.Println(use(p.Sum, p.Bump(3)), p.Add(p.Bump(3)))
	fmt.Println(use(q.Sum, q.Bump(3)), q.Add(q.Bump(3)), q.Add(1))
	h, o := holder{&pair{1, 2}}, &holder{&pair{1, 2}}
	fmt.Println(use(h.Sum, h.Bump(3)), h.Add(h.Bump(3)))
	fmt.Println(use(o.Sum, o.Bump(3)), o.Add(o.Bump(3)))
	f, n := q.Sum, q.Bump(1)
	fmt.Println(f(), n)
	m, xs := map[string]*pair{"a": {1, 2}}, []*pair{{1, 2}}
	fmt.Println(use(m["a"].Sum, m["a"].Bump(2)), m["a"].Add(m["a"].Bump(3)))
	fmt.Println(use(xs[0].Sum, xs[0].Bump(2)), xs[0].Add(xs[0].Bump(3)))
	var i interface{ Sum() int } = q
	fmt.Println(use(i.Sum, q.Bump(1)), q.Sum()+q.Bump(3))
}

func main() {
	methods()
	receivers()
	bs := []byte("abc")
	fmt.Println(string(bs), copy(bs, "xy"))
	bs = []byte("abc")
	a, b := string(bs), copy(bs, "xy")
	fmt.Println(a, b)
	bs = []byte("abc")
	x := []any{string(bs), copy(bs, "xy")}
	fmt.Println(x...)
	bs = []byte("abc")
	t := string(bs) + fmt.Sprint(copy(bs, "xy"))
	fmt.Println(t)
	rs := []rune("abc")
	fmt.Println(string(rs), copy(rs, []rune("xy")))
	m := map[string]int{"gbc": 5, "abc": 6, "bbc": 7}
	fmt.Println(m[string(g)], ch(), m[string(g)])
	mm := map[string]map[string]int{"bbc": m}
	fmt.Println(mm[string(g)]["gbc"], ch(), mm[string(g)]["gbc"])
	s := "abc"
	cs := func() int { s = "xyz"; return 1 }
	fmt.Println([]byte(s), cs())
	s = "abc"
	fmt.Println([]rune(s), cs())
	s = "abc"
	u, v := []byte(s), cs()
	fmt.Println(u, v)
	s = "abc"
	fmt.Println([]byte(s)[0], cs(), len([]byte(s)))
	xs := []int{1, 2, 3}
	fmt.Println(xs[0], append(xs[:0], 9), xs[0])
	fmt.Println(xs[1], xs[1]*2, append(xs[:1], 8)[1], xs[1])
	xs, n := append(xs[:0], 5, xs[2]), xs[0]
	fmt.Println(xs, n)
	n = xs[0] + len(append(xs[:0], 7))
	fmt.Println(n, xs)
	n = xs[0]*10 + copy(xs, []int{4})
	fmt.Println(n, xs)
	xs[0], n = copy(xs, []int{6, 6}), xs[1]
	fmt.Println(n, xs)
	n += copy(xs, []int{1, n})
	fmt.Println(n, xs)
	xs[copy(xs, []int{2, 2})-1] += xs[1]
	fmt.Println(xs)
	xs = append(xs, xs[0], copy(xs, []int{3, 3}), xs[0])
	fmt.Println(xs)
	xs = append(append(xs[:1], xs[0]+1), xs[1:3]...)
	fmt.Println(xs)
	if xs[0] == 3 && xs[1]+copy(xs[1:], xs) > 3 {
		fmt.Println("if", xs)
	}
	arr := [3]int{1, 2, 3}
	fmt.Println(arr[0], copy(arr[:], []int{9}), arr[0], arr)
	p := &arr[1]
	fmt.Println(*p, copy(arr[1:], []int{8}), *p)
	fmt.Println(max(xs[0], 1), copy(xs, []int{77}), xs[0], min(xs[0], 99))
	st := []struct{ a, b int }{{1, 2}}
	fmt.Println(st[0], copy(st, []struct{ a, b int }{{5, 6}}), st[0].a)
	h := func() (string, int) { bs := []byte("hh"); return string(bs), copy(bs, "q") }
	for _, c := range []string{"a", "b"} {
		ws := []byte(c)
		if string(ws) == "q" && copy(ws, "z") == 1 {
			fmt.Println("never")
		}
		k := string(ws) + c + fmt.Sprint(copy(ws, "z")) + string(ws)
		fmt.Println(k, string(ws[:1]), copy(ws, "y"), m[string(ws)])
	}
	fmt.Println(h())
	fmt.Println(string(bs) == "qqc", copy(bs, "rr"), len(string(bs)), string(bs) < "s")
}
