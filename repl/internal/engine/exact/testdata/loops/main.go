package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

type pair struct {
	key  string
	rank int
}

func try(what string, f func() any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(what, "failed:", r)
		}
	}()
	fmt.Println(what, f())
}

// Loops of two blocks, by every comparison, on both sides of it.
func comparisons(n int) (out []int) {
	for i := 0; i < n; i++ {
		out = append(out, i)
	}
	for i := n; i > 0; i-- {
		out = append(out, i)
	}
	for i := 1; i <= n; i += 2 {
		out = append(out, -i)
	}
	for i := n; i >= 0; i -= 3 {
		out = append(out, i*10)
	}
	for i := 0; i != n; i++ {
		out = append(out, i)
	}
	i := 0
	for i == 0 {
		i = n + 1
	}
	for {
		if i >= 2*n+2 {
			break
		}
		out = append(out, i)
		i++
	}
	for n > i-5 {
		i++
	}
	for i := range n {
		out = append(out, i*i)
	}
	return append(out, i)
}

func empty(n int) int {
	i := 0
	for ; i < n; i++ {
	}
	for i < 2*n {
		i += 7
	}
	for range n {
	}
	return i
}

func wraps() (n int) {
	for i := math.MaxInt - 3; i > 0; i++ {
		n++
	}
	for i := math.MaxInt - 2; i < math.MaxInt; i++ {
		n += 10
	}
	return n
}

func bounds(xs []int, n int) (sum int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("bounds", r, sum)
		}
	}()
	for i := 0; i < n; i++ {
		sum += xs[i]
	}
	return sum
}

// The bound, the variable and the step change while the loop runs.
func changing() (out []int) {
	n, step := 10, 1
	for i := 0; i < n; i += step {
		out = append(out, i)
		n, step = n-1, step+i%2
	}
	xs := []int{1, 2, 3}
	for i := 0; i < len(xs); i++ {
		if xs = append(xs, i); len(xs) > 6 {
			xs = xs[:5]
		}
	}
	for i, x := range xs {
		xs = append(xs, x*i)
	}
	for i := 0; i < 5; i++ {
		i += 1
		out = append(out, i)
	}
	return append(out, xs...)
}

func ranges(xs []int, ps []pair) (sum, last int, keys string) {
	last = -1
	for i := range xs {
		last = i
	}
	for i, x := range xs {
		if x == 3 {
			continue
		}
		sum += i * x
		if x > 6 {
			break
		}
	}
	for _, p := range ps {
		keys += p.key
	}
	for i := range ps {
		ps[i].rank = last
		last = i
	}
	for range xs {
		sum++
	}
	previous := -1
	for i := range xs {
		previous, last = i, previous
	}
	return sum + previous, last, keys
}

func closures() (out []int) {
	var all []func() int
	for i := 0; i < 3; i++ {
		all = append(all, func() int { i += 10; return i })
	}
	for i := range 3 {
		all = append(all, func() int { return i })
	}
	for _, f := range all {
		out = append(out, f(), f())
	}
	return out
}

func nested(n int) (t [][]int) {
	for i := 0; i < n; i++ {
		row := make([]int, n)
		for j := range row {
			for k := j; k < n; k++ {
				row[j] += i * k
			}
		}
		t = append(t, row)
	}
outer:
	for i := range t {
		for j := range t[i] {
			if t[i][j] > 9 {
				continue outer
			}
			t[i][j] = -t[i][j]
		}
	}
	return t
}

func fibonacci(n int) (a, b int) {
	a, b = 0, 1
	for i := 0; i < n; i++ {
		a, b = b, a+b
	}
	return a, b
}

func text(s string) (out []int) {
	count := func(yes func(i int) bool) {
		n := 0
		for i := 0; i < len(s); i++ {
			if yes(i) {
				n++
			}
		}
		out = append(out, n)
	}
	count(func(i int) bool { return s[i] == 'o' })
	count(func(i int) bool { return s[i] != 'o' })
	count(func(i int) bool { return s[i] < 'o' || s[i] > 'y' })
	count(func(i int) bool { return s[i] <= 'o' && s[i] >= 'a' })
	count(func(i int) bool { return s[i] == s[len(s)-1-i] })
	n := 0
	for i := range len(s) {
		if s[i] == 'a' {
			n += 1
		} else if s[i] > 'w' {
			n += 10
		} else if s[i] <= 'c' {
			n += 100
		} else if s[i] >= 'v' {
			n += 1000
		} else if s[i] < 'e' {
			n += 10000
		} else if s[i] != 'o' {
			n += 100000
		}
	}
	return append(out, n)
}

func built(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte('a' + byte(i))
		b.WriteString("-é")
		b.WriteRune('λ' + rune(i))
		_, err := b.WriteString("!")
		k, _ := b.WriteRune('x')
		fmt.Fprint(&b, err, k, b.Len())
	}
	p := &b
	p.WriteString(p.String()[:3])
	b.Grow(10)
	return b.String()
}

func sorted(ps []pair) {
	less := func(a, b pair) int { return strings.Compare(a.key, b.key) }
	slices.SortFunc(ps, less)
	fmt.Println(ps)
	slices.SortStableFunc(ps, func(a, b pair) int { return a.rank - b.rank })
	fmt.Println(ps)
	sort.Slice(ps, func(i, j int) bool { return ps[i].key > ps[j].key })
	fmt.Println(ps)
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].rank < ps[j].rank })
	fmt.Println(ps)
	xs, ys := []float64{3, math.NaN(), 1, 2}, []float64{1, 2, 3, 0}
	sort.Slice(xs, func(i, j int) bool { return ys[i] < ys[j] })
	fmt.Println(xs)
	try("sort", func() any {
		sort.Slice(ps, func(i, j int) bool { return ps[i].rank < ps[j+len(ps)-1].rank })
		return ps
	})
	try("sort", func() any {
		sort.Slice(ps, func(i, j int) bool { return ps[i-len(ps)].rank < ps[j].rank })
		return ps
	})
}

func main() {
	for n := range 8 {
		fmt.Println(comparisons(n), empty(n))
	}
	fmt.Println(wraps(), bounds([]int{1, 2, 3}, 3), bounds([]int{1, 2, 3}, 9), bounds(nil, 1), changing())
	fmt.Println(ranges([]int{1, 2, 3, 4, 5, 6, 7, 8}, []pair{{"a", 1}, {"b", 2}, {"c", 3}}))
	fmt.Println(ranges(nil, nil))
	fmt.Println(closures(), nested(4))
	fmt.Println(fibonacci(50))
	fmt.Println(text("the quick brown fox jumps over the lazy dog"), text(""))
	try("text", func() any { s := "ab"; i := 2; return i < len(s)+1 && s[i] == 'a' })
	try("text", func() any {
		s, n := "abc", 0
		for i := 0; ; i++ {
			if s[i] != 'z' {
				n++
			}
		}
	})
	fmt.Println(built(4))
	try("nil builder", func() any { var b *strings.Builder; b.WriteString("a"); return b })
	try("nil builder", func() any { var b *strings.Builder; b.WriteByte('a'); return b })
	try("copied builder", func() any { var b strings.Builder; b.WriteByte('a'); c := b; c.WriteString("b"); return c.String() })
	try("bad rune", func() any { var b strings.Builder; b.WriteRune(-1); b.WriteRune(0x110000); return b.String() })
	sorted([]pair{{"d", 1}, {"a", 2}, {"c", 1}, {"b", 2}, {"a", 1}})
}
