package repl

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
)

// inBothEngines runs a test of sessions in each engine.
func inBothEngines(t *testing.T, test func(t *testing.T, s *session)) {
	t.Helper()
	for _, engine := range []Engine{Yaegi, Exact} {
		t.Run(string(engine), func(t *testing.T) {
			test(t, newSession(t, Config{Engine: engine, Context: scriptContext, Builtins: scriptBuiltins()}))
		})
	}
}

// unsupported declares an error that holds a reflect.Value, and one that holds a reflect.Type.
const unsupported = `_, failed := json.Marshal(math.NaN())
var e *json.UnsupportedValueError
errors.As(failed, &e)
var ute *json.UnmarshalTypeError
errors.As(json.Unmarshal([]byte("\"x\""), new(int)), &ute)`

// generic declares functions through which a cell could get at a type without naming it.
const generic = `func cast[P any](x any, _ func() P) P { return x.(P) }
func apply[A, B any](a A, f func(A) B) B { return f(a) }
func same[T any](x T) T { return x }
type box[T any] struct{ v T }
func boxed[T any](x T) box[T] { return box[T]{x} }`

// No operand of a cell has a type that reaches memory: the gate refuses the cell, however it gets the type, and
// the session continues.
func TestCellsDoNotReachMemory(t *testing.T) {
	attacks := map[string]string{
		"a field":                   "fmt.Println(e.Value)",
		"a last expression":         "e.Value",
		"a variable":                "v := e.Value",
		"a field of a value":        "x := *e\nfmt.Println(x.Value)",
		"a comparison":              "fmt.Println(e.Value == e.Value)",
		"a blank":                   "_ = e.Value",
		"a method":                  "fmt.Println(e.Value.Kind() == 14)",
		"a method value":            "f := e.Value.Int\nf()",
		"a pointer":                 "p := &e.Value\np.Kind()",
		"an address":                "fmt.Println(e.Value.UnsafePointer())",
		"inference":                 "func f() { v := e.Value; fmt.Println(*(*int)(cast(any(1), v.UnsafePointer))) }\nf()",
		"inference by an argument":  "same(e.Value)",
		"inference by a result":     "fmt.Println(apply(0, ute.Type.Method).Name)",
		"inference by a callback":   "fmt.Println(apply(e, func(x *json.UnsupportedValueError) any { return x.Value }))",
		"inference by a core type":  "func f[S ~struct { Value V; Str string }, V any](s S) (v V) { return }\nfmt.Println(f(*e))",
		"inference by a method":     "func f[T interface{ Method(int) M }, M any](x T) any { return x.Method(0) }\nfmt.Println(f(ute.Type))",
		"a generic struct":          "fmt.Println(boxed(e.Value))",
		"an embedded field":         "type E struct{ *json.UnsupportedValueError }\nfmt.Println(E{e}.Value)",
		"a promoted one in a slice": "type E struct{ json.UnsupportedValueError }\nfor _, x := range []E{{*e}} { _ = x.Value.Elem }",
		"a channel":                 "func ch[T any](x T) chan T { c := make(chan T, 1); c <- x; return c }\nfmt.Println(<-ch(e.Value))",
		"a map":                     "func m[T any](x T) map[string]T { return map[string]T{\"a\": x} }\nfmt.Println(m(e.Value)[\"a\"])",
		"a slice":                   "fmt.Println(append(slices.Collect(slices.Values([]int{})), 1), slices.Repeat(append([]any{}, e.Value), 1))",
		"an interface":              "var x any = e.Value\nfmt.Println(x)",
		"a literal":                 "e2 := json.UnsupportedValueError{Value: e.Value}",
		"a closure":                 "f := func() any { return e.Value }\nf()",
		"a defer":                   "defer fmt.Println(e.Value)",
		"a goroutine":               "go fmt.Println(e.Value)",
		"a switch":                  "switch x := any(e.Value).(type) { case int: _ = x }",
		"a range":                   "for f := range ute.Type.Elem().Fields() { fmt.Println(f.Name) }",
		"a method of a type":        "fmt.Println(ute.Type.MethodByName(\"String\"))",
		"a method of it as a value": "f := ute.Type.Method",
		"a method expression":       "f := (*json.UnsupportedValueError).Error\ng := func(x *json.UnsupportedValueError) { x.Value.IsNil() }",
		"a function of atomic":      "f := atomic.LoadPointer",
		"a call of atomic":          "atomic.StorePointer(nil, nil)",
		"a deprecated error":        "var x json.UnmarshalFieldError\nfmt.Println(x.Field.Name)",
		"in a function":             "func f(x *json.UnsupportedValueError) int64 { return x.Value.Int() }",
		"in a generic function":     "func f[T any](T) { _ = e.Value }",
		"in a method":               "type T struct{}\nfunc (T) M() any { return e.Value }",
		"in a program":              "package main\nimport (\"encoding/json\"; \"fmt\")\nvar e = json.UnsupportedValueError{}\nvar v = e.Value\nfunc main() { fmt.Println(v) }",
	}
	inBothEngines(t, func(t *testing.T, s *session) {
		s.must("keep := 7")
		s.must(unsupported)
		for name, source := range attacks {
			if strings.Contains(name, "inference") || strings.Contains(name, "generic struct") {
				source = generic + "\n" + source // yaegi has no generic functions from an earlier cell
			}
			res, out := s.run(source)
			require.NotNil(t, res.Error, name)
			require.Equal(t, cellerror.CompileError, res.Error.Kind, "%s: %v", name, res.Error)
			require.Contains(t, res.Error.Message, "cells cannot use ", name)
			require.Contains(t, res.Error.Message, "cells have no access to memory", name)
			require.Empty(t, out, name)
		}
		res, out := s.run("fmt.Println(keep, e, ute.Offset)")
		require.Nil(t, res.Error)
		require.Equal(t, "7 json: unsupported value: NaN 3\n", out)
		require.True(t, s.nb.Sound())
	})
}

// Packages that reach memory, the runtime or the system cannot be imported, and no directive replaces the
// import.
func TestPackagesThatLeadToMemory(t *testing.T) {
	inBothEngines(t, func(t *testing.T, s *session) {
		for _, path := range []string{
			"unsafe", "reflect", "C", "runtime", "runtime/debug", "runtime/cgo", "syscall", "plugin", "structs",
			"unique", "weak", "internal/abi",
			"internal/unsafeheader", "golang.org/x/sys/unix", "html/template", "testing", "go/types", "encoding/gob",
			"hash/maphash", "os/signal",
		} {
			for _, source := range []string{
				"import \"" + path + "\"\n1", "import . \"" + path + "\"", "import _ \"" + path + "\"\nfunc f() {}",
			} {
				res, _ := s.run(source)
				require.NotNil(t, res.Error, source)
				require.Equal(t, cellerror.CompileError, res.Error.Kind, source)
			}
		}
		for _, source := range []string{
			"//go:linkname now runtime.nanotime\nfunc now() int64\nnow()", "func now() int64\nnow()",
			"type T struct{}\nfunc (T) String() string\nfmt.Println(T{})",
			"unsafe.Sizeof(1)", "p := unsafe.Pointer(new(int))", "reflect.ValueOf(1)",
		} {
			res, _ := s.run(source)
			require.NotNil(t, res.Error, source)
			require.Equal(t, cellerror.CompileError, res.Error.Kind, source)
		}
		s.must("1")
	})
}

// Code that the gate allows works as in the compiled program: errors that hold values of package reflect are
// errors, and types can be described.
func TestErrorsThatHoldTypesAreUsable(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Context: scriptContext, Builtins: scriptBuiltins()})
	s.must(unsupported)
	s.must(generic)
	for source, want := range map[string]string{
		"fmt.Println(e, e.Str, *e == *e, e == nil)":                                     "json: unsupported value: NaN NaN true false\n",
		"fmt.Printf(\"%T %+v %s\\n\", e, *e, failed)":                                   "*json.UnsupportedValueError {Value:<float64 Value> Str:NaN} json: unsupported value: NaN\n",
		"fmt.Println(ute.Type, ute.Type.Kind(), ute.Type.Name())":                       "int int int\n",
		"func() { k := ute.Type; fmt.Println(k.Size(), k == k) }()":                     "8 true\n",
		"var x any = ute.Type\nfmt.Println(x)":                                          "int\n",
		"fmt.Println(ute.Type.AssignableTo(ute.Type), same(ute.Type))":                  "true int\n",
		"switch any(ute.Type.Kind()).(type) { case fmt.Stringer: fmt.Println(\"ok\") }": "ok\n",
	} {
		res, out := s.run(source)
		require.Nil(t, res.Error, source)
		require.Equal(t, want, out, source)
	}
	require.Equal(t, "json: unsupported value: NaN", s.must("e").Value)
	_, out := s.run(`_, err := json.Marshal(func(int, string) {})
var u *json.UnsupportedTypeError
fmt.Println(errors.As(err, &u))
for in := range u.Type.Ins() { fmt.Println(in) }
fmt.Printf("%T\n", u.Type.Outs())`)
	require.Equal(t, "true\nint\nstring\niter.Seq[reflect.Type]\n", out)
}

// A template cannot reach memory either: instead of the methods of a reflect.Value it sees the value inside, and
// cannot change it.
func TestTemplatesOfCellsDoNotReachMemory(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Context: scriptContext, Builtins: scriptBuiltins()})
	s.must("keep := 7")
	res, out := s.run(`type N struct { Next *N; A, B, C int64 }
n := &N{A: 11, B: 22, C: 33}
n.Next = n
_, err := json.Marshal(n)
var e *json.UnsupportedValueError
fmt.Println(errors.As(err, &e))
grab := func(x any) string { return fmt.Sprintf("%T", x) }
for _, source := range []string{"{{grab .Value.UnsafePointer}}", "{{grab .Value.Pointer}}", "{{.Value.Elem.FieldByName \"A\"}}", "{{$v := .Value}}{{$v.SetInt 5}}", "{{.Value.A}}"} {
	fmt.Println(template.Must(template.New("x").Funcs(template.FuncMap{"grab": grab}).Parse(source)).Execute(os.Stdout, e))
}
fmt.Println(n.A, n.B, n.C)`)
	require.Nil(t, res.Error)
	require.Equal(t, `true
template: x:1:13: executing "x" at <.Value.UnsafePointer>: can't evaluate field UnsafePointer in type *main.N
template: x:1:13: executing "x" at <.Value.Pointer>: can't evaluate field Pointer in type *main.N
template: x:1:8: executing "x" at <.Value.Elem.FieldByName>: can't evaluate field Elem in type *main.N
template: x:1:20: executing "x" at <$v.SetInt>: can't evaluate field SetInt in type *main.N
11<nil>
11 22 33
`, out)
	s.must("keep")
}

// A method of an instance of atomic.Pointer, which exists only in the session, can be called through interfaces and
// by compiled code, and no lock stays held if looking up a method fails.
func TestMethodsWithoutACompiledForm(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Context: scriptContext, Builtins: scriptBuiltins()})
	res, out := s.run(`var p atomic.Pointer[int]
x := 5
p.Store(&x)
type loader interface{ Load() *int }
fmt.Println(*any(&p).(loader).Load())
var l loader = &p
load := l.Load
fmt.Println(*load(), *(*atomic.Pointer[int]).Load(&p))
type holder struct{ atomic.Pointer[int] }
h := &holder{}
h.Store(&x)
fmt.Println(*loader(h).Load())
err := template.Must(template.New("x").Parse("{{.Load | printf \"%T\"}} {{.CompareAndSwap nil nil}}")).Execute(os.Stdout, &p)
fmt.Println(err)`)
	require.Nil(t, res.Error)
	require.Equal(t, "5\n5 5\n5\n*int false<nil>\n", out)
	_, out = s.run("fmt.Println(x, *p.Load())")
	require.Equal(t, "5 5\n", out)
}

// Variables of packages stay unchanged, whatever statement a cell uses.
func TestCellsDoNotChangePackages(t *testing.T) {
	attacks := map[string]string{
		"an assignment":          "unicode.Letter = nil",
		"an error":               "context.Canceled = nil",
		"another":                "io.EOF = errors.New(\"x\")",
		"a field":                "unicode.Letter.R16 = nil",
		"a field of an element":  "unicode.Letter.R16[0].Lo = 5",
		"several":                "var x int\nx, io.EOF = 1, nil",
		"a swap":                 "unicode.Letter, unicode.Digit = unicode.Digit, unicode.Letter",
		"an operation":           "unicode.Latin.LatinOffset += 1",
		"an increment":           "unicode.Letter.LatinOffset++",
		"an entry":               "unicode.Categories[\"L\"] = nil",
		"a deletion":             "delete(unicode.Categories, \"L\")",
		"a clear":                "clear(unicode.Scripts)",
		"a copy":                 "copy(unicode.GraphicRanges, unicode.PrintRanges)",
		"an address":             "p := &io.EOF\n*p = nil",
		"an address of a field":  "p := &unicode.Letter.R16\n*p = nil",
		"an argument":            "func f(p *error) { *p = nil }\nf(&io.EOF)",
		"an element":             "unicode.CaseRanges[0].Lo = 1",
		"a slice of one":         "unicode.CaseRanges[:1][0].Lo = 1",
		"a pointer":              "*base64.StdEncoding = *base64.URLEncoding",
		"a conversion":           "(*[256]uint32)(crc32.IEEETable)[0] = 1",
		"a range":                "for io.EOF = range slices.Values([]error{nil}) { break }",
		"a range's value":        "for _, io.EOF = range []error{nil} {}",
		"a receive":              "c := make(chan error, 1)\nc <- nil\nio.EOF = <-c",
		"a closure":              "func() { io.EOF = nil }()",
		"a function":             "func f() { io.EOF = nil }",
		"a method":               "type T struct{}\nfunc (T) M() { time.Local = time.UTC }",
		"a generic function":     "func f[T any](x T) { xml.HTMLEntity[\"a\"] = \"b\" }",
		"a select":               "c := make(chan error)\nselect { case io.EOF = <-c: default: }",
		"a renamed package":      "import u \"unicode\"\nu.Letter = nil",
		"a dot import":           "import . \"unicode\"\nLetter = nil",
		"a defer":                "defer func() { context.DeadlineExceeded = nil }()",
		"a zone":                 "*time.UTC = time.Location{}",
		"a zone by another name": "l := time.UTC\n*l = time.Location{}",
		"a converted zone":       "type Z time.Location\nz := (*Z)(time.UTC)\n*z = Z{}",
		"a zone of a time":       "*time.Now().UTC().Location() = *time.Local",
		"a zone swapped":         "a, b := time.UTC, time.Local\n*a, *b = *b, *a",
		"a parenthesis":          "(io.EOF) = nil",
		"a program":              "package main\nimport \"io\"\nfunc main() { io.EOF = nil }",
		"an init":                "func init() { io.EOF = nil }",
	}
	inBothEngines(t, func(t *testing.T, s *session) {
		for name, source := range attacks {
			res, out := s.run(source)
			require.NotNil(t, res.Error, name)
			require.Equal(t, cellerror.CompileError, res.Error.Kind, "%s: %v", name, res.Error)
			require.Contains(t, res.Error.Message, "cells cannot change ", name)
			require.Empty(t, out, name)
		}
		res, _ := s.run("func set[T any](p *T, x T) { *p = x }\nset(time.UTC, *time.Local)")
		require.NotNil(t, res.Error)
		require.Contains(t, res.Error.Message, "cells cannot use time.Location as a type argument")
		for _, allowed := range []string{
			"os.Args = []string{\"a\"}\nos.Args[0] = \"b\"\np := &os.Args\n*p = nil",
			"var letters = unicode.Letter\nletters = unicode.Digit\n_ = &letters",
			"t := &unicode.RangeTable{}\nt.LatinOffset = 1\nt.R16 = append(t.R16, unicode.Range16{1, 2, 1})",
			"var zone = time.UTC\nzone = time.Local\nvar zp = &zone\n*zp = time.UTC",
			"m := map[string]error{}\nm[\"a\"] = io.EOF\ndelete(m, \"a\")",
			"var when time.Time\nat := &when\n*at = time.Unix(0, 0)",
			"rs := append([]*unicode.RangeTable{}, unicode.GraphicRanges...)\nrs[0] = nil",
		} {
			s.must(allowed)
		}
		_, out := s.run("fmt.Println(io.EOF, context.Canceled, unicode.IsLetter('a'), unicode.Is(unicode.Letter, 'a'), time.UTC)")
		require.Equal(t, "EOF context canceled true true UTC\n", out)
	})
}

// What a cell changes through a value read from a package's variable belongs to the session.
func TestSessionsHaveTheirOwnTables(t *testing.T) {
	inBothEngines(t, func(t *testing.T, s *session) {
		for _, source := range []string{
			"m := unicode.Categories\nm[\"L\"] = nil\nsc := unicode.Scripts\nclear(sc)",
			"r := unicode.Digit.R16\nr[0].Lo = 0\nr[0].Hi = 0",
			"cs := unicode.CaseRanges\nfor i := range cs { cs[i].Lo = 1 }",
			"enc := base64.StdEncoding\n*enc = *base64.URLEncoding",
			"x := xml.HTMLEntity\nclear(x)",
			"func wipe(t *unicode.RangeTable) { t.R16 = nil; t.R32 = nil; t.LatinOffset = 0 }",
			"for _, t := range unicode.Properties { wipe(t) }\nwipe(unicode.L)\nwipe(unicode.Upper)",
		} {
			s.must(source)
		}
		_, out := s.run(`fmt.Println(unicode.Is(unicode.Letter, 'a'), unicode.Categories["L"] == nil, len(xml.HTMLEntity))
fmt.Println(unicode.IsLetter('a'), unicode.IsLetter('ж'), base64.StdEncoding.EncodeToString([]byte{255}))`)
		require.Equal(t, "false true 0\ntrue true _w==\n", out,
			"as in a program, but for what the package computes itself")
		s.must("héllo := \"wörld\"\nfmt.Println(strings.ToUpper(héllo))")
	})
	require.True(t, unicode.Is(unicode.Letter, 'ä') && unicode.IsLetter('ж') && unicode.IsUpper('Ä'))
	require.Same(t, unicode.L, unicode.Categories["L"])
	require.Equal(t, "/w==", base64.StdEncoding.EncodeToString([]byte{255}))
	require.NotEmpty(t, xml.HTMLEntity)
	require.Equal(t, "EOF", io.EOF.Error())
	require.Equal(t, context.Canceled.Error(), "context canceled")
	require.Equal(t, "UTC", time.UTC.String())
}

// A function may have as many parameters and results as package reflect allows; a wider one is refused with a
// message, wherever it is declared.
func TestWideFunctions(t *testing.T) {
	params := func(n int) string { return strings.TrimSuffix(strings.Repeat("int, ", n), ", ") }
	inBothEngines(t, func(t *testing.T, s *session) {
		for _, source := range []string{
			"func f(" + params(200) + ") {}",
			"f := func(" + params(200) + ") int { return 1 }",
			"type T struct{ f func(" + params(200) + ") }",
			"type F func(" + params(128) + ")",
			"type I interface{ M(" + params(200) + ") }",
			"type T struct{}\nfunc (T) M(" + params(127) + ") {}",
			"func f[X any](X, " + params(200) + ") {}",
			"func f() (" + params(130) + ") { panic(1) }",
		} {
			res, _ := s.run(source)
			require.NotNil(t, res.Error, source)
			require.Equal(t, cellerror.CompileError, res.Error.Kind, "%v", res.Error)
			require.Regexp(t, `cells cannot use a function with \d+ parameters and results`, res.Error.Message)
			require.Contains(t, res.Error.Message, "give it a struct or a slice instead")
		}
	})
	s := newSession(t, Config{Engine: Exact, Context: scriptContext, Builtins: scriptBuiltins()})
	args := strings.TrimSuffix(strings.Repeat("1, ", 120), ", ")
	_, out := s.run("func f(a int, rest ..." + "int) int { return a + len(rest) }\ntype F func(" + params(120) +
		") int\nvar g F = func(" + params(120) + ") int { return 7 }\n" +
		"type T struct{}\nfunc (T) M(" + params(120) + ") int { return 8 }\nvar i any = T{}\nfmt.Println(g(" + args +
		"), i.(interface{ M(" + params(120) + ") int }).M(" + args + "), f(" + args +
		"))\nfmt.Printf(\"%d\\n\", len(fmt.Sprintf(\"%T\", g)))")
	require.Equal(t, "7 8 120\n6\n", out)
}

// Init functions run once the variables that they need are set, and before everything else.
func TestInitFunctionsRunBehindTheirVariables(t *testing.T) {
	inBothEngines(t, func(t *testing.T, s *session) {
		for _, c := range []struct{ source, want string }{
			{"var reg = map[string]int{}\nfunc init() { reg[\"a\"] = 1 }\nfmt.Println(reg)", "map[a:1]\n"},
			{"func init() { reg2[\"a\"] = 1 }\nvar reg2 = map[string]int{}\nfmt.Println(reg2)", "map[a:1]\n"},
			{
				"func init() { reg[\"b\"] = 2; fmt.Println(\"init\") }\nfmt.Println(reg)\nvar later = 1",
				"init\nmap[a:1 b:2]\n",
			},
			{"fmt.Println(\"first\")\nm := map[string]int{}\nfunc init() { add(\"a\") }\nfunc add(k string) { m[k]++ }\nfunc init() { add(\"a\"); fmt.Println(\"second\", m) }\nfmt.Println(m)", "first\nsecond map[a:2]\nmap[a:2]\n"},
			{"type T struct{ m map[string]int }\nfunc (t *T) set(k string) { t.m[k] = len(more) }\nfunc init() { std.set(\"k\") }\nvar std = &T{map[string]int{}}\nvar more = []int{1, 2}\nfmt.Println(std.m)", "map[k:2]\n"},
			{"var x = 1\nfunc init() { x *= 2 }\nfunc init() { x += 3 }\nfmt.Println(x)", "5\n"},
			{"var x = 10\nfunc init() { x++ }\nfmt.Println(x)", "11\n"},
			{"var p, q = 1, 2\nfunc init() { p, q = q, p }\nfmt.Println(p, q)", "2 1\n"},
			{"package main\nimport \"fmt\"\nvar b = a + 1\nvar a = f()\nfunc f() int { return table[\"x\"] }\nvar table = map[string]int{\"x\": 4}\nfunc init() { table[\"y\"] = b }\nfunc init() { fmt.Println(table) }\nfunc main() { fmt.Println(\"main\", a, b) }", "map[x:4 y:5]\nmain 4 5\n"},
			{"var only = map[string]int{}\nfunc init() { only[\"a\"] = 1 }", ""},
			{"fmt.Println(only)", "map[a:1]\n"},
			{"func init() { fmt.Println(\"alone\") }", "alone\n"},
		} {
			res, out := s.run(c.source)
			require.Nil(t, res.Error, c.source)
			require.Equal(t, c.want, out, c.source)
		}
	})
}
