package dyn

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"unicode/utf8"
)

// Natives returns the symbols of package rt, which lowered files import.
func (r *Runtime) Natives() map[string]reflect.Value {
	table := map[string]reflect.Value{
		"Error":  reflect.ValueOf((*error)(nil)),
		"Defers": reflect.ValueOf((*DeferStack)(nil)),
	}
	for _, functions := range []map[string]any{r.methods(), helpers} {
		for name, f := range functions {
			table[name] = reflect.ValueOf(f)
		}
	}
	return table
}

// helpers contains functions that need no state.
var helpers = map[string]any{
	"FloatMin":      func(a, b float64) float64 { return min(a, b) },
	"FloatMax":      func(a, b float64) float64 { return max(a, b) },
	"FloatToInt64":  func(f float64) int64 { return int64(f) },
	"FloatToUint64": func(f float64) uint64 { return uint64(f) },
	"FloatToUint32": func(f float64) uint32 { return uint32(f) },
	"RuneString":    runeString,
	"Bool":          func(b bool) bool { return b },
	"Here":          func() {},
	"Decode": func(s string, i int) (rune, int) {
		c, n := utf8.DecodeRuneInString(s[i:])
		return c, i + n
	},
	"Clear":           func(x any) { reflect.ValueOf(x).Clear() },
	"Overlaps":        overlaps,
	"SortOrdered":     sortOrdered,
	"SortSlice":       sort.Slice,
	"SortSliceStable": sort.SliceStable,
}

// methods returns the Runtime's methods that lowered code calls.
func (r *Runtime) methods() map[string]any {
	return map[string]any{
		"As": r.As, "Ended": r.Ended, "Eq": r.Eq, "EqValue": r.EqValue, "Global": r.Global, "Is": r.Is,
		"IsNil": r.IsNil, "Keys": r.Keys,
		"NewDefers": r.NewDefers, "Nil": r.Nil, "Panic": r.Panic, "Plain": r.Plain, "PlainPrintln": r.PlainPrintln,
		"Print":  r.Print,
		"Printf": r.Printf, "Println": r.Println, "Protect": r.Protect, "Push": r.Push, "Recover": r.Recover,
		"Shift": r.Shift,
		"Start": r.Start, "ToError": r.ToError, "TypeCase": r.TypeCase,
	}
}

// Print is fmt.Print, but writes to the cell's output.
func (r *Runtime) Print(args ...any) (int, error) { return fmt.Fprint(r.Stdout, args...) }

// Println is fmt.Println, but writes to the cell's output.
func (r *Runtime) Println(args ...any) (int, error) { return fmt.Fprintln(r.Stdout, args...) }

// Printf is fmt.Printf, but writes to the cell's output.
func (r *Runtime) Printf(format string, args ...any) (int, error) {
	return fmt.Fprintf(r.Stdout, format, args...)
}

// PlainPrintln is the builtin function println.
func (r *Runtime) PlainPrintln(args ...any) { _, _ = r.Println(args...) }

func runeString(n int64) string {
	if n < 0 || n > math.MaxInt32 {
		return string(utf8.RuneError)
	}
	return string(rune(n))
}

func overlaps(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Len() == 0 || y.Len() == 0 || x.Type().Elem().Size() == 0 {
		return false
	}
	size := x.Type().Elem().Size()
	x0, y0 := x.Pointer(), y.Pointer()
	x1, y1 := x0+uintptr(x.Len()-1)*size, y0+uintptr(y.Len()-1)*size
	return x0 <= y1+size-1 && y0 <= x1+size-1
}

func sortOrdered(x any) {
	switch s := x.(type) {
	case []int:
		slices.Sort(s)
		return
	case []string:
		slices.Sort(s)
		return
	case []float64:
		slices.Sort(s)
		return
	}
	v := reflect.ValueOf(x)
	sort.Slice(x, func(i, j int) bool { return less(v.Index(i), v.Index(j)) })
}

func less(a, b reflect.Value) bool {
	switch {
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return cmp.Less(a.Float(), b.Float())
	}
	return a.String() < b.String()
}
