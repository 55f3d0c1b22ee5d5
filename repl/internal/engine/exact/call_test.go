package exact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// session runs cells one after the other; each must print the text beside it.
func session(t *testing.T, cells ...[2]string) {
	t.Helper()
	nb := enginetest.NewNotebook(t, newEngine)
	for i, c := range cells {
		out, err := nb.Run(i+1, c[0])
		require.NoError(t, err, c[0])
		require.Nil(t, out.Panic, c[0])
		require.Equal(t, c[1], nb.Out.Take(), c[0])
	}
}

// A call by name calls the newest function of that name: in other functions, literals, methods, deferred calls,
// goroutines.
func TestCallsGoToTheNewestVersion(t *testing.T) {
	session(t,
		[2]string{`type T struct{ n int }
func f() string { return "old" }
func (t T) Get() string { return "old method" }
func caller() string { return f() }
func deferring() (s string) { defer func() { s = f() }(); return }
type I interface{ Get() string }
lit := func() string { return f() + "," + T{}.Get() }
value, bound, i := f, T{1}.Get, I(T{2})
caller() + deferring() + lit() + value() + bound() + i.Get()`, ""},
		[2]string{"func f() string { return \"new\" }\nfunc (t T) Get() string { return fmt.Sprint(\"new method \", t.n) }", ""},
		[2]string{`fmt.Println(caller(), deferring(), lit())
fmt.Println(value(), bound(), i.Get())
done := make(chan string)
go func() { done <- caller() }()
fmt.Println(<-done)`, "new new new,new method 0\nnew new method 1 new method 2\nnew\n"},
	)
}

// A call site of an interface method caches the last type, and only that one.
func TestOnePlaceCallsMethodsOfManyTypes(t *testing.T) {
	session(t, [2]string{
		`type I interface{ M(a int, s ...string) (string, error) }
type A int
func (a A) M(n int, s ...string) (string, error) { return fmt.Sprint("A", int(a)+n, s), nil }
type B struct{ x, y int }
func (b *B) M(n int, s ...string) (string, error) { b.x += n; return fmt.Sprint("B", b.x, len(s)), io.EOF }
type C struct{ I }
type D [3]string
func (d D) M(n int, s ...string) (string, error) { return d[n%3], nil }
type E func(int) int
func (e E) M(n int, s ...string) (string, error) { return fmt.Sprint("E", e(n)), nil }
all := []I{A(1), &B{2, 3}, C{A(4)}, &C{&B{}}, D{"x", "y", "z"}, E(func(n int) int { return n * n }), A(5)}
for n := range 2 {
	for _, i := range all {
		s, err := i.M(n+3, "p", "q")
		fmt.Print(s, " ", err, ";")
	}
}
fmt.Println()
var w io.Writer
for _, w = range []io.Writer{&strings.Builder{}, &bytes.Buffer{}, io.Discard} { n, err := fmt.Fprint(w, "abc"); fmt.Print(n, err, " ") }`,
		"A4 [p q] <nil>;B5 2 EOF;A7 [p q] <nil>;B3 2 EOF;x <nil>;E9 <nil>;A8 [p q] <nil>;" +
			"A5 [p q] <nil>;B9 2 EOF;A8 [p q] <nil>;B7 2 EOF;y <nil>;E16 <nil>;A9 [p q] <nil>;\n3 <nil> 3 <nil> 3 <nil> ",
	})
}

// Deferred calls run in order, with the arguments evaluated when they were deferred; recover returns only the panic
// of the frame that runs the deferred call.
func TestDeferredCalls(t *testing.T) {
	session(t, [2]string{`func order(p any) (s string) {
	defer func() { s += fmt.Sprint("|last ", recover()) }()
	defer func() { defer func() { s += fmt.Sprint("|inner ", recover()) }(); panic("second") }()
	for i := range 3 { defer func(n int) { s += fmt.Sprint("|", i, n) }(len(s)); s += "." }
	if p != nil { panic(p) }
	return s + "returned"
}
fmt.Println(order(nil))
fmt.Println(order(io.EOF))
func() {
	defer func() { fmt.Println("direct", recover()) }()
	defer func() { func() { fmt.Println("nested", recover()) }() }()
	panic(struct{ A int }{1})
}()
var wg sync.WaitGroup
wg.Add(1)
go func() { defer wg.Done(); defer func() { fmt.Println("ended", recover()) }(); stop("here") }()
wg.Wait()`, "...returned|2 2|1 1|0 0|inner second|last <nil>\n...|2 2|1 1|0 0|inner second|last EOF\nnested <nil>\ndirect {1}\nended <nil>\n"})
}
