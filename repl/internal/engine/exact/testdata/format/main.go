package main

import (
	"errors"
	"fmt"
	"strings"
)

type F struct{ a int }

func (f F) Format(s fmt.State, v rune) {
	w, wok := s.Width()
	p, pok := s.Precision()
	fmt.Fprintf(s, "F[%c %d%v %d%v %v%v%v %s]", v, w, wok, p, pok, s.Flag('+'), s.Flag('#'), s.Flag('-'), fmt.FormatString(s, v))
}

type G struct{ A, b any }

func (G) GoString() string { return "G!" }

type E struct{ code int }

func (e *E) Error() string   { return fmt.Sprint("E", e.code) }
func (e *E) Is(t error) bool { return t == errBase }

var errBase = errors.New("base")

type Str string

func (s Str) String() string { return "<" + string(s) + ">" }

type Panicky struct{}

func (p *Panicky) String() string { panic("ouch") }

type NilS struct{ x int }

func (n *NilS) String() string { return fmt.Sprint(n.x) }

type In struct {
	Str
	m map[Str][]*int
	e error
	s fmt.Stringer
	f func()
	c chan int
	i any
}
type Emb struct {
	*E
	N int
}
type scanT struct{ a, b int }

func (s *scanT) Scan(st fmt.ScanState, verb rune) error {
	tok, err := st.Token(true, func(r rune) bool { return r != ';' })
	if err != nil {
		return err
	}
	st.ReadRune()
	_, err = fmt.Sscanf(string(tok), "%d-%d", &s.a, &s.b)
	return err
}

type Rec struct {
	Name string
	Kids []*Rec
	M    map[string]Rec
}
type bs []byte
type by byte
type fl float32
type cx complex64
type arr [3]by
type bo bool

func main() {
	fmt.Printf("%v|%+10.3x|%#v|%-5q\n", F{1}, F{2}, F{3}, F{4})
	fmt.Println(F{1}, []F{{1}}, map[string]F{"a": {}}, &F{2})
	fmt.Printf("%#v %v %#v %#v\n", G{1, "x"}, G{1, nil}, []G{{}}, struct{ g G }{})
	fmt.Println(&E{3}, Emb{&E{4}, 2}, []error{&E{1}, nil})
	fmt.Printf("%v %+v %s %q %x %d\n", Str("a"), Str("b"), Str("c"), Str("d"), Str("e"), Str("f"))
	fmt.Println(&Panicky{}, (*NilS)(nil), &NilS{3})
	fmt.Printf("%s %d\n", &Panicky{}, &Panicky{})
	one := 1
	in := In{Str: "z", m: map[Str][]*int{"k": nil}, e: &E{9}, s: Str("q"), i: []any{1, "a", nil, Str("x"), &one == nil}}
	fmt.Printf("%v\n%+v\n", in, in)
	in.m = nil
	fmt.Printf("%#v\n", in.i)
	fmt.Printf("%T %T %T %T\n", in, &in, in.m, in.f)
	fmt.Printf("%v %d %s %x %q\n", bs("hi"), bs("hi"), bs("hi"), bs("hi"), bs("hi"))
	fmt.Printf("%v %#v %T\n", arr{1, 2}, arr{1, 2}, arr{})
	fmt.Printf("%v %#v %v %#v %v %#v\n", by(3), by(3), fl(1.5), fl(1e20), cx(1+2i), bo(true))
	fmt.Printf("%!|%z|%d|%s\n", 1, "a", 3)
	fmt.Printf("%d %[1]x %[3]v %[2]*[1]d|%6.2f|%+d|%e|%g|%08b|%o|%#o|%U|%#U|%c\n", 10, 5, "z", 3.14159, 5, 1e6, 1e21, 5, 8, 8, 'x', 'x', 0x4E16)
	fmt.Printf("%5t|%-8s|%8s|%.2s|%x|% x|%#x|%X\n", true, "ab", "cd", "xyz", "hi", "hi", "hi", "hi")
	var s scanT
	n, err := fmt.Sscan("12-34; 5", &s, &one)
	fmt.Println(n, err, s, one)
	r := Rec{"a", []*Rec{{Name: "b"}}, map[string]Rec{"x": {}}}
	fmt.Println(strings.Count(fmt.Sprintf("%v", r), "0x"))
	r.Kids = nil
	fmt.Printf("%v %+v %#v\n", r, r, r)
	err = fmt.Errorf("a: %w, b: %w", &E{1}, errBase)
	var pe *E
	fmt.Println(errors.Is(err, errBase), errors.As(err, &pe), pe.code, errors.Is(&E{5}, errBase), errors.Join(&E{1}, nil, &E{2}))
	fmt.Printf("%v %v\n", struct {
		a int
		b *struct{ c int }
	}{1, nil}, &struct{ m map[string]int }{map[string]int{"z": 1, "a": 2}})
	fmt.Printf("%T %T %T\n", struct {
		A int `json:"a"`
		b string
	}{}, func(int, ...string) (error, bool) { return nil, false }, map[[2]int]chan<- struct{}{})
	fmt.Printf("%#v\n", map[string]any{"a": []int{1}, "b": map[int]bool{1: true}, "c": struct{ X int }{1}, "d": (*int)(nil), "e": uint8(3), "f": 1.0, "g": 'x', "h": nil})
	fmt.Printf("%v %v\n", [2][]string{{"a"}, nil}, &[]int{1})
	fmt.Printf("%s %v %d\n", []string{"a", "b"}, []byte(nil), []any{1, "x"})
	fmt.Printf("%t %v %s\n", 1, true, 5)
	fmt.Printf("%6d|%-6d|%06d|%x|%X|%#x\n", []int{1, 2}, []int{3}, []int{-4}, []int{255}, -255, []byte{1, 255})
	fmt.Printf("%v %+v\n", struct{ E error }{&E{1}}, struct{ S fmt.Stringer }{Str("x")})
	fmt.Printf("%s|%v|%d\n", error(nil), error(nil), (*int)(nil))
	fmt.Printf("%x %X %x\n", "hello", []byte("hi"), Str("a"))
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, 'x', Str("y")), fmt.Sprintln("a", 1))
	type private struct {
		s Str
		e error
		p *Str
	}
	fmt.Printf("%+v\n", private{s: "a"})
}
