package main

import (
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	A = iota * 10
	B
	_
	C
	D = "s"
	E
	F = iota
)

type Bits uint8

const (
	B0 Bits = 1 << iota
	B1
	B2
	_
	B4
)

type W int

const (
	Sun W = iota
	Mon
)

func (w W) String() string { return [...]string{"Sun", "Mon"}[w] }

const Big = 1 << 100
const fl = 1.0 / 3
const r = 'a' + 1

type Inner struct{ x int }

func (i Inner) Get() int   { return i.x }
func (i *Inner) Set(n int) { i.x = n }

type Mid struct{ *Inner }
type Outer struct {
	Mid
	name string
}
type Getter interface{ Get() int }
type GS interface {
	Getter
	Set(int)
}
type EI struct{ Getter }

func shifts() {
	var u8 uint8 = 200
	var i8 int8 = -128
	var s uint = 70
	fmt.Println(u8<<1, u8+100, i8-1, -i8, i8/-1, i8>>1, u8>>7, 1<<s>>s, int64(1)<<s, int32(-1)>>s, uint64(1)<<63)
	var i32 int32 = math.MinInt32
	fmt.Println(i32/-1, i32%-1, -7/2, -7%2, 7/-2, 7%-2, -7>>1, ^5, 5&^3, 6^3)
	var f = 1e100
	fmt.Println(uint8(int(300)&0xff), int8(u8), float32(f), math.IsInf(float64(float32(f)), 1))
	var z float64
	fmt.Println(1/z, -1/z, z/z == z/z, math.Copysign(0, -1), int64(math.MaxInt64), uint64(math.MaxUint64))
	var x uint16 = 1 << 15
	var c = x << 1 >> 1
	fmt.Println(c, uint16(c-1))
	var n = 3
	var sh int64 = 1 << n
	var ff float64 = float64(1 << 3)
	fmt.Println(sh, ff, uint8(1)<<n, n<<62)
}

func strs() {
	bad := "a\xffb\xc0\xafé\xe4\xb8"
	for i, r := range bad {
		fmt.Print(i, ":", r, " ")
	}
	fmt.Println(len(bad), utf8.RuneCountInString(bad), []rune(bad), []byte(bad), string([]rune{65, -1, 0x10ffff + 1, 0xd800}), string(rune(0x4e16)))
	fmt.Printf("%q %+q %x\n", bad, bad, bad)
	for i := range "日本" {
		fmt.Print(i, " ")
	}
	s := "héllo"
	fmt.Println(s[1], s[1:3], s > "hello", s == "h\u00e9llo", `raw\n`, "\x41\101\u0041")
	type MS string
	type MB []byte
	fmt.Println(string(MB("x")), MS([]byte("y")), append([]byte("a"), "bc"...), copy(make([]byte, 2), "xyz"))
	switch {
	case s < "i":
		fmt.Println("lt")
		fallthrough
	case false:
		fmt.Println("ft")
	default:
		fmt.Println("def")
	}
}

func maps() {
	nan := math.NaN()
	m := map[float64]int{}
	m[nan] = 1
	m[nan] = 2
	_, ok := m[nan]
	delete(m, nan)
	fmt.Println(len(m), ok)
	clear(m)
	fmt.Println(len(m))
	type K [2][2]int
	mk := map[K]string{{{1, 2}, {3, 4}}: "a"}
	fmt.Println(mk[K{{1, 2}, {3, 4}}], mk[K{}] == "")
	ms := map[struct {
		a string
		b any
	}]int{{"x", 1}: 1, {"x", "1"}: 2}
	fmt.Println(ms[struct {
		a string
		b any
	}{"x", 1}], len(ms))
	mi := map[any]int{1: 1, int8(1): 2, "1": 3, [1]int{1}: 4, nil: 5, 1.0: 6, struct{}{}: 7}
	fmt.Println(mi[1], mi[int8(1)], mi[[1]int{1}], mi[nil], mi[1.0], mi[struct{}{}], mi[int16(1)])
	mm := map[string]map[string][]int{}
	if mm["a"] == nil {
		mm["a"] = map[string][]int{}
	}
	mm["a"]["b"] = append(mm["a"]["b"], 1, 2)
	mm["a"]["b"][0]++
	mc := map[string]struct{ n int }{}
	v := mc["q"]
	v.n++
	mc["q"] = v
	fmt.Println(mm, mc, -0.0 == 0, map[float64]int{0: 1}[math.Copysign(0, -1)])
	mf := map[string]func(...int) int{"sum": func(x ...int) (s int) {
		for _, v := range x {
			s += v
		}
		return
	}}
	fmt.Println(mf["sum"](1, 2, 3), mf["sum"]([]int{4}...))
	ip := map[*int]int{}
	p := new(int)
	ip[p]++
	ip[p] += 5
	fmt.Println(ip[p], len(ip))
}
func closures() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	for i := 0; i < 6; i++ {
		defer func() { fmt.Print("d", i, " ") }()
		i++
	}
	var acc []*int
	for i := range 3 {
		acc = append(acc, &i)
	}
	fmt.Println(*acc[0], *acc[2])
	i := 0
L:
	if i < 3 {
		i++
		goto L
	}
	fmt.Println(i)
	func() {
		for i := 0; ; i++ {
			switch {
			case i == 2:
				continue
			case i > 4:
				return
			}
			fmt.Print(i)
		}
	}()
outer:
	for i := 0; i < 3; i++ {
		for j := 0; ; j++ {
			select {
			default:
				if j > i {
					continue outer
				}
				if i == 2 {
					break outer
				}
			}
			fmt.Print("<", i, j, ">")
		}
	}
	fmt.Println()
}
func methods() {
	o := Outer{Mid{&Inner{1}}, "n"}
	f := o.Get
	g := Outer.Get
	h := (*Outer).Set
	k := Mid.Set
	o.Set(5)
	h(&o, 6)
	k(o.Mid, 7)
	fmt.Println(f(), g(o), o.x, (*Inner).Get(o.Inner))
	var gs GS = o
	var gt Getter = gs
	e := EI{gt}
	fmt.Println(e.Get(), Getter.Get(e), GS.Get(gs))
	fn := gt.Get
	gs.Set(99)
	fmt.Println(fn(), e.Get())
	fmt.Printf("%T %T %T\n", g, h, fn)
	func() {
		defer func() { fmt.Println(recover()) }()
		var o2 Outer
		_ = o2.Get
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var e2 EI
		e2.Get()
	}()
	_, ok := any(o).(interface{ Set(int) })
	_, ok2 := any(Inner{}).(interface{ Set(int) })
	fmt.Println(ok, ok2)
}
func cplx() {
	a := complex(1, 2)
	var c64 complex64 = 3 + 4i
	fmt.Println(a*a, a/(1-1i), real(c64), imag(a), a == complex(1, 2), c64*c64, -a, fmt.Sprintf("%.1f %v %g", a, c64, a))
	m := map[complex128]int{1i: 1}
	fmt.Println(m[1i])
	var z complex128
	fmt.Println(a/z, z/z)
}
func arrays() {
	a := [...]int{5: 1, 2, 1: 7}
	b := a
	b[0] = 9
	fmt.Println(a, b, len(a), a == b, a != [7]int{})
	p := &a
	for i, v := range p {
		p[i] = v * 2
	}
	for i, v := range a {
		a[6-i] = v
	}
	s := a[2:4:5]
	s = append(s, 100)
	s = append(s, 200)
	s[0] = -1
	fmt.Println(a, s, len(s), cap(a[1:2:3]), *(*[2]int)(s), [2]int(s))
	var m [2][3]struct{ s []string }
	m[1][2].s = append(m[1][2].s, "x")
	m2 := m
	m2[1][2].s[0] = "y"
	fmt.Println(m, len(m), len(m[0]))
	x, y := 1, 2
	x, y = y, x+y
	sl := []int{0, 1, 2}
	i := 0
	i, sl[i] = 2, 50
	sl[0], sl[1], sl[2] = sl[2], sl[0], sl[1]
	fmt.Println(x, y, i, sl, min(3, 1, 2), max(2.5, 1), min("b", "a"), max(math.NaN(), 1))
	clear(sl)
	fmt.Println(sl)
	var np *[5]int
	fmt.Println(len(np), cap(np))
	for i := range np {
		fmt.Print(i)
	}
	var ns []int
	for range ns {
		fmt.Print("x")
	}
	ns = append(ns, ns...)
	fmt.Println(ns == nil, append([]int(nil), ns...) == nil, len(ns[:0]), append([]int{}, 1))
	c := [][]int{{1}, {2, 3}, nil}
	for _, r := range c {
		r = append(r, 9)
	}
	fmt.Println(c)
}

func variadic(pre string, xs ...any) string { return fmt.Sprint(pre, len(xs), xs == nil, xs) }
func multi() (int, string, error)           { return 1, "a", nil }
func take(a int, b string, c error) string  { return fmt.Sprint(a, b, c) }

func main() {
	fmt.Println(A, B, C, D, E, F, B0, B1, B2, B4, Sun, Mon, []W{0, 1}, Big>>98, fl, r, string(rune(r)), fl*3 == 1)
	fmt.Printf("%T %T %T %T\n", r, fl, Big>>90, 1i)
	shifts()
	strs()
	maps()
	closures()
	fmt.Println()
	methods()
	cplx()
	arrays()
	fmt.Println(variadic("a"), variadic("b", nil), variadic("c", []any{1, 2}...), variadic("d", []any(nil)...), variadic("e", []int{1}), take(multi()))
	var x any = 3
	switch v := x.(type) {
	case int, string:
		fmt.Printf("%T\n", v)
	}
	switch x := x.(type) {
	case nil:
	case interface{ M() }:
	default:
		_ = x
		fmt.Println("default")
	}
	switch y := 5; {
	case y > 3:
		fmt.Println("big")
	}
	if v, ok := x.(string); !ok {
		fmt.Printf("%q %v\n", v, ok)
	}
	const huge = 1e1000 / 1e997
	fmt.Println(huge, 5/2*2.0, 5.0/2, 1<<3.0, 'a'*2, "a"+"b", 0x1p-2, 0b101, 0o17, 1_000)
}
