package main

import "fmt"

type T struct {
	a, b int
	c    string
	_    int
}
type U struct {
	a, b int
	c    string
	_    int
}

var g1 = g2 + 1
var g2 = f("g2", g3)
var g3 = f("g3", 5)

func f(s string, x int) int { fmt.Println("init", s); return x * 2 }
func init()                 { fmt.Println("init1", g1) }
func init()                 { fmt.Println("init2") }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return
	}
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}

type Temp float64
type Cel = Temp
type Shape interface {
	Area() float64
	Perimeter() float64
}
type Sq struct{ s float64 }

func (s Sq) Area() float64      { return s.s * s.s }
func (s Sq) Perimeter() float64 { return 4 * s.s }

type Logger struct {
	prefix string
	lines  *[]string
}

func (l Logger) Log(s string) { *l.lines = append(*l.lines, l.prefix+s) }

type Svc struct {
	Logger
	*Stack[int]
	Shape
	name string
}

func ret() (a int, b string) {
	defer func() { a *= 2; b += "!" }()
	a, b = 1, "x"
	return a + 1, b + "y"
}

type Op func(float64, float64) float64

func (o Op) Do(a, b float64) float64 { return o(a, b) }

type Alias[T any] = map[string]T
type Celsius struct{ Temp }
type flags struct{ a, b, c bool }
type E1 struct {
	E2
	x int
}
type E2 struct{ x, y int }
type E3 struct{ y, z int }
type E4 struct {
	E1
	E3
}

func (E2) M() string     { return "E2" }
func (E3) N() string     { return "E3" }
func vals() (int, error) { return 3, nil }
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	t := T{a: 1, b: 2, c: "x"}
	u := U(t)
	fmt.Println(u == U{a: 1, b: 2, c: "x"}, t == T(u))
	var an struct {
		a, b int
		c    string
		_    int
	} = t
	fmt.Println(an.c, any(t) == any(u), any(t) == any(T(u)))
	s := Svc{Logger{"p:", &[]string{}}, &Stack[int]{}, Sq{2}, "n"}
	s.Log("hi")
	s.Push(4)
	s.Push(5)
	fmt.Println(*s.lines, s.Area(), s.items)
	fmt.Println(s.Pop())
	fmt.Println(ret())
	fmt.Println(Op(func(a, b float64) float64 { return a - b }).Do(5, 3))
	var am Alias[int] = map[string]int{"a": 1}
	fmt.Printf("%T %v %T %T\n", am, am, Cel(3), Celsius{4}.Temp)
	var e E4
	e.E1.x, e.E2.x, e.E1.y, e.z = 1, 2, 3, 4
	fmt.Printf("%+v %s %s\n", e, e.M(), e.N())
	fmt.Println(must(vals()))
	func() { defer func() { fmt.Println("R", recover()) }(); must(0, fmt.Errorf("bad")) }()
	var i8 int8 = 127
	i8++
	var u8 uint8
	u8--
	var i64 int64 = 1 << 62
	i64 *= 4
	fmt.Println(i8, u8, i64, int8(-128)/int8(u8))
	ff := 1e300
	fmt.Println(ff*ff, -ff*ff, float32(16777217), int64(float32(1<<24+1)))
	type pt struct{ x, y int }
	m := map[pt]*pt{{1, 2}: {3, 4}}
	m[pt{1, 2}].x++
	ps := []*pt{{1, 2}, {3, 4}}
	mm := map[string][]pt{"a": {{1, 2}}}
	mm["a"][0].x = 9
	fmt.Println(*m[pt{1, 2}], *ps[1], mm, [...]string{2: "c", 0: "a"}, [][]pt{{{1, 2}}, nil})
	var np *pt
	fmt.Println(np == nil, any(np) == nil, any((*pt)(nil)) == any(np))
	var sh Shape
	var sq *Sq
	fmt.Println(sh == nil)
	sh = sq
	fmt.Println(sh == nil, sh != nil)
	x := 10
	p := &x
	pp := &p
	**pp = 20
	*p++
	fmt.Println(x, p == *pp)
	if x := 5; x > 3 {
		x := "shadow"
		_ = x
	} else if y := x; y > 0 {
	}
	fl := flags{a: true}
	fl.b = !fl.a || fl.c && !fl.b
	fmt.Println(fl)
	arr := [3]int{1, 2, 3}
	for i, v := range arr {
		arr[2] = 10
		if i == 2 {
			fmt.Println(v)
		}
	}
	sl := []int{1, 2, 3}
	for i, v := range sl {
		sl[2] = 10
		if i == 0 {
			sl = append(sl, 4)
		}
		if i == 2 {
			fmt.Println(v)
		}
	}
	mp := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for k := range mp {
		delete(mp, k)
		n++
	}
	fmt.Println(n, len(mp))
lbl:
	for i := range 3 {
		switch i {
		case 1:
			break lbl
		default:
			fmt.Println("i", i)
		}
	}
	const c = len([10]int{})
	var a2 [c]bool
	fmt.Println(len(a2), cap(a2[:3]))
	fn := func(xs ...int) (int, []int) { xs[0] = 99; return len(xs), xs }
	orig := []int{1, 2}
	fn(orig...)
	fmt.Println(orig)
	k, _ := fn(1, 2, 3)
	fmt.Println(k)
	var iface interface {
		Push(int)
		Pop() (int, bool)
	} = s
	iface.Push(7)
	fmt.Println(iface.Pop())
	switch v := any(s).(type) {
	case interface{ Nope() }:
		fmt.Println("no")
	case Shape:
		fmt.Println("shape", v.Area())
	}
	copyS := s
	copyS.Logger.prefix = "q:"
	copyS.Log("z")
	fmt.Println(*s.lines)
	str := "a"
	str += "b" + str
	b := []byte(str)
	b[0] = 'Z'
	fmt.Println(str, string(b))
	goto end
end:
	fmt.Println(func() (r []int) {
		for i := range 3 {
			defer func() { r = append(r, i) }()
		}
		return
	}())
	var d1, d2 = 3, 4
	d1, d2 = d2%d1, d1&^d2
	d1 <<= 3
	d2 |= 8
	d1 ^= 1
	d1 &^= 1
	fmt.Println(d1, d2)
	fmt.Println(func(a, _ int, _ string) int { return a }(1, 2, ""), struct{}{} == struct{}{}, [0]int{} == [0]int{})
	println := fmt.Sprint
	fmt.Println(println("shadowed"))
	len := func(int) int { return -1 }
	fmt.Println(len(3))
	type Int int
	type Ints []Int
	var is Ints = []Int{1}
	fmt.Printf("%T %v\n", is, is)
	var fnn func()
	fmt.Println(fnn == nil, fmt.Sprintf("%T %v", fnn, fnn))
	var r rune = 'é'
	var by byte = 'a'
	fmt.Println(r, by, string(r), string(by), 'a'+by, "x"+string(by+1))
	ch := make(chan<- int, 2)
	ch <- 1
	fmt.Printf("%T %d %d\n", ch, cap(ch), 3)
}
