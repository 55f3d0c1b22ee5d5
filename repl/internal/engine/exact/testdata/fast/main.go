package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/cmplx"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type point struct {
	name string
	x, y int
}

type shape struct {
	points []point
	grid   [3]int
	table  [][]int
	next   *shape
}

func try(what string, f func() any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(what, "failed:", r)
		}
	}()
	fmt.Println(what, f())
}

func moved(p point, n int) (point, int) {
	q := &p
	q.x += n
	p.name += "!"
	n++
	return p, n
}

func sum(p point, depth int) int {
	p.x += depth
	if depth == 0 {
		return p.x
	}
	return sum(p, depth-1) + p.x
}

func named(n int) (r int, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = r*2, fmt.Errorf("recovered %v", v)
		}
	}()
	r = n
	return 10 / (n - 3), nil
}

func elements() {
	s := &shape{points: []point{{"a", 1, 2}, {"b", 3, 4}}, table: [][]int{{1, 2}, nil, {3}}}
	var none *shape
	for i := -1; i < 4; i++ {
		try("x", func() any { return s.points[i].x })
		try("grid", func() any { return s.grid[i] })
		for j := 0; j < 3; j++ {
			try("table", func() any { return s.table[i][j] })
			try("set", func() any { s.table[i][j] += 10; return s.table[i][j] })
			try("shifted", func() any { return s.table[i+1][j-1] })
		}
	}
	try("nil field", func() any { return none.next })
	try("nil points", func() any { return none.points[0].name })
	try("nil grid", func() any { return none.grid[1] })
	try("nil table", func() any { return none.table[1][1] })
	try("nil next", func() any { return s.next.points })
}

func loops() {
	a, b := 0, 1
	for i := 0; i < 10; i++ {
		a, b = b, a+b
	}
	fmt.Println(a, b)
	var old []int
	for i, last := 0, -1; i < 4; i++ {
		old = append(old, last)
		last = i * i
	}
	fmt.Println(old)
	x, y, z := 1, 2, 3
	for range 5 {
		x, y, z = y, z, x+y
	}
	fmt.Println(x, y, z)
	text, lengths := "abcdef", []int{}
	for len(text) > 0 {
		n := len(text)
		text = text[1:]
		lengths = append(lengths, n, len(text))
	}
	fmt.Println(lengths)
	s := []int{5, 6, 7}
	for i := 0; i < 3; i++ {
		before := cap(s[:0:1])
		s = append(s, s[i], before)
	}
	t := append(s[:2], 9)
	fmt.Println(s, t, len(t))
	var nested [][]string
	for _, w := range strings.Fields("a b c") {
		nested = append(nested, []string{w, w + w})
	}
	fmt.Println(nested, append([]any(nil), 1, "x", nil, 2.5), append([]struct{}{}, struct{}{}))
}

func compiled() {
	before, after, ok := strings.Cut("key=value", "=")
	b, c, no := bytes.Cut([]byte("abc"), []byte("-"))
	fmt.Println(before, after, ok, string(b), c, no)
	f, err := strconv.ParseFloat("2.5x", 64)
	n, err2 := strconv.Atoi("-17")
	fmt.Println(f, err, n, err2)
	r, size := utf8.DecodeRuneInString("é")
	fr, exp := math.Frexp(6.5)
	hi, lo := bits.Mul64(1<<63, 6)
	fmt.Println(r, size, fr, exp, hi, lo, math.Float32bits(1.5), math.Float32frombits(0x40490fdb), cmplx.Abs(3+4i), math.Hypot(3, 4))
	day := time.Date(2024, time.March, 5, 6, 7, 8, 9, time.UTC)
	p, err := time.Parse(time.DateOnly, "2024-03-01")
	fmt.Println(day.Sub(p), err, day.After(p), day.Weekday())
	var w io.Writer = &bytes.Buffer{}
	k, err := w.Write([]byte("written"))
	fmt.Println(k, err, w, errors.Join(io.EOF, errors.New("other")).Error())
	var b1 strings.Builder
	for i := range 3 {
		b1.WriteString("ab")
		b1.WriteByte('c')
		b1.WriteRune('é')
		strings.Cut("a=b", "=")
		bytes.Cut([]byte("a=b"), []byte("="))
		math.Frexp(float64(i))
		strconv.ParseFloat("x", 64)
		strings.Fields("a b")
		w.Write([]byte("+"))
	}
	fmt.Println(b1.String(), b1.Len(), w)
	upper := strings.ToUpper
	var reader io.RuneReader = strings.NewReader("äb")
	first, width, err := reader.ReadRune()
	fmt.Println(upper("x"), first, width, err, strings.EqualFold("Straße", "STRASSE"), bits.Reverse8(3), utf8.RuneLen('€'))
}

func called() {
	for line := range strings.Lines("a\nb\nc\n") {
		if line == "b\n" {
			break
		}
		for word := range strings.SplitSeq(line+"x y", " ") {
			fmt.Printf("%q ", word)
		}
	}
	try("loop", func() any {
		for part := range bytes.SplitSeq([]byte("p,q"), []byte(",")) {
			panic("at " + string(part))
		}
		return nil
	})
	digits := regexp.MustCompile(`\d+`)
	fmt.Println(digits.ReplaceAllStringFunc("a1b22", func(s string) string { return strings.Repeat("#", len(s)) }))
	try("replace", func() any {
		return digits.ReplaceAllStringFunc("a1", func(s string) string { var m map[string]int; m[s] = 1; return s })
	})
	var depth func(n int) string
	depth = func(n int) string {
		return digits.ReplaceAllStringFunc(strconv.Itoa(n), func(s string) string {
			if n == 0 {
				return "end"
			}
			return s + depth(n-1)
		})
	}
	fmt.Println(depth(3))
}

type player struct {
	point
	score float64
	tags  []string
	team  struct{ name, city string }
	best  any
}

func span(p player, up bool) int {
	n := p.x
	for i := p.y; i > 0; i-- {
		if up {
			n = p.y
		}
		n += i
	}
	return n
}

func (p player) label(s string) string {
	if len(p.tags) > 1 {
		s = p.tags[1]
	}
	return s + p.team.city + p.name
}

func changed(p player) player {
	p.team.city += "!"
	q := p
	q.x++
	return q
}

func parameters() {
	var ps []player
	for i := range 40 {
		p := player{point: point{strconv.Itoa(i * 7 % 10), i * 13 % 17, i % 3}, score: float64(i*31%11) / 4, tags: []string{"t", strconv.Itoa(i)}, best: i % 5}
		p.team.name, p.team.city = strconv.Itoa(i%4), "c"
		ps = append(ps, p)
	}
	order := func(how string) {
		fmt.Print(how)
		for _, p := range ps {
			fmt.Print(" ", p.name, p.x, p.y, p.score, p.tags, p.team, p.best)
		}
		fmt.Println()
	}
	fmt.Println(span(ps[3], true), span(ps[4], false), ps[5].label("s"), player{}.label("z"), changed(ps[6]).team, ps[6].team, ps[6].x)
	slices.SortFunc(ps, func(a, b player) int { return cmp.Compare(a.x, b.x) })
	order("ints")
	slices.SortStableFunc(ps, func(a, b player) int {
		return cmp.Or(strings.Compare(a.team.name, b.team.name), -cmp.Compare(a.score, b.score))
	})
	order("several")
	slices.SortFunc(ps, func(a, b player) int {
		a.name += a.team.city
		if n := cmp.Compare(a.name, b.name+"c"); n != 0 {
			return n
		}
		return span(b, true) - span(a, true)
	})
	order("written")
	slices.SortStableFunc(ps, func(a, b player) int { return len(fmt.Sprint(a)) - len(fmt.Sprint(b)) })
	order("whole")
	slices.SortStableFunc(ps, func(a, _ player) int { return a.x%3 - 1 })
	order("one")
	seen := 0
	try("sorting", func() any {
		slices.SortFunc(ps, func(a, b player) int {
			if seen++; seen == 9 {
				return a.best.(int) - b.best.(interface{ Int() int }).Int()
			}
			return a.y - b.y
		})
		return nil
	})
	order("failed")
	type pair struct {
		none struct{}
		f    func(int) int
		m    map[string]int
	}
	use := func(p pair, k string) int { return p.f(p.m[k]) + len(fmt.Sprint(p.none)) }
	fmt.Println(use(pair{f: func(n int) int { return n * 2 }, m: map[string]int{"a": 4}}, "a"))
}

func main() {
	elements()
	parameters()
	loops()
	p := point{"p", 1, 2}
	q, n := moved(p, 5)
	fmt.Println(p, q, n, sum(p, 4))
	fmt.Println(named(5))
	fmt.Println(named(3))
	compiled()
	called()
}
