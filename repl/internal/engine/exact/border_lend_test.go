package exact

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// Every function in borrowers exists, and calls its argument only on the calling goroutine and only before it
// returns.
func TestBorrowersCallWhileTheyRun(t *testing.T) {
	host := engine.Host{}
	for name := range borrowers {
		t.Run(name, func(t *testing.T) {
			pkg, member, _ := strings.Cut(name, ".")
			f := host.Symbols(pkg)[member]
			require.Equal(t, reflect.Func, f.Kind())
			calls, running, self := 0, true, caller.Mark()
			var args []reflect.Value
			lent := 0
			for i := range f.Type().NumIn() {
				in := f.Type().In(i)
				switch {
				case in.Kind() == reflect.Func:
					require.Contains(t, lenders, in)
					lent++
					args = append(args, reflect.MakeFunc(in, func(given []reflect.Value) []reflect.Value {
						require.True(t, running, "it is called after its call")
						require.Equal(t, self, caller.Self())
						calls++
						out := reflect.New(in.Out(0)).Elem()
						if in.Out(0) == in.In(0) { // Map returns the type that it takes
							out.Set(given[0])
						}
						return []reflect.Value{out}
					}))
				default:
					args = append(args, sampleOf(in))
				}
			}
			require.Equal(t, 1, lent)
			out := f.Call(args)
			running = false
			require.Positive(t, calls)
			for _, r := range out { // no result may contain a function to call later
				require.NotEqual(t, reflect.Func, r.Kind())
				require.NotContains(t, []reflect.Kind{
					reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Map, reflect.Chan,
				}, r.Kind())
			}
		})
	}
}

// sampleOf returns an argument with which a function has something to do.
func sampleOf(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[any]():
		return reflect.ValueOf([]int{3, 1, 2})
	case reflect.TypeFor[string]():
		return reflect.ValueOf("abc")
	case reflect.TypeFor[[]byte]():
		return reflect.ValueOf([]byte("abc"))
	}
	return reflect.ValueOf(9)
}

// Each sequence keeps its own function for splitting, also if sequences are nested or on other goroutines.
func TestSequencesKeepTheirFunctions(t *testing.T) {
	session(t, [2]string{
		`var seqs []iter.Seq[string]
for _, k := range "abc" { seqs = append(seqs, strings.FieldsFuncSeq("1a2b3c4", func(r rune) bool { return r == k })) }
for _, s := range seqs { fmt.Print(slices.Collect(s)) }
var bs []iter.Seq[[]byte]
for _, k := range "abc" { bs = append(bs, bytes.FieldsFuncSeq([]byte("1a2b3c4"), func(r rune) bool { return r == k })) }
for _, s := range bs { for b := range s { fmt.Print(" ", string(b)) } }
fmt.Println()
depth := 0
var p func(r rune) bool
p = func(r rune) bool {
	mine := r
	if depth == 0 { depth++; for range strings.FieldsFuncSeq("xyz", p) {}; depth-- }
	return mine == 'c'
}
for f := range strings.FieldsFuncSeq("abcd", p) { fmt.Print(f, " ") }
texts := []string{"q", strings.Repeat("z", 1<<16)}
g := func(r rune) bool { t := texts[int(r)&1]; u := t; return len(u) > 0 && u[len(u)-1] == 'q' }
var wg sync.WaitGroup
n := make([]int, 3)
for i := range n { s := strings.FieldsFuncSeq(strings.Repeat("ab", 2000), g); wg.Go(func() { for range s { n[i]++ } }) }
wg.Wait()
fmt.Println(n)`,
		"[1 2b3c4][1a2 3c4][1a2b3 4] 1 2b3c4 1a2 3c4 1a2b3 4\nab d [2000 2000 2000]\n",
	})
}
