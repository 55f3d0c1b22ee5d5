package dyn

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// Natives is the package rt of lowered files: the methods of the runtime by name.
func (r *Runtime) Natives() map[string]reflect.Value {
	table := map[string]reflect.Value{
		"Error":  reflect.ValueOf((*error)(nil)),
		"Panics": reflect.ValueOf((*Panics)(nil)),
		"Defers": reflect.ValueOf((*Defers)(nil)),
		"Select": reflect.ValueOf((*Select)(nil)),
		"None":   reflect.ValueOf(None),
	}
	v := reflect.ValueOf(r)
	for i := range v.NumMethod() {
		table[v.Type().Method(i).Name] = v.Method(i)
	}
	for name, f := range map[string]any{
		"FloatMin": func(a, b float64) float64 { return min(a, b) },
		"FloatMax": func(a, b float64) float64 { return max(a, b) },
		"FloatToInt64": func(f float64) int64 {
			return int64(f)
		},
		"FloatToUint64": func(f float64) uint64 { return uint64(f) },
		"FloatToUint32": func(f float64) uint32 { return uint32(f) },
		"RuneString":    runeString,
		"Bool":          func(b bool) bool { return b },
		"TimeChan":      bothWays[time.Time],
		"DoneChan":      bothWays[struct{}],
		"Here":          func() {},
		"Decode": func(s string, i int) (rune, int) {
			c, n := utf8.DecodeRuneInString(s[i:])
			return c, i + n
		},
		"ClearMap":        func(m any) { reflect.ValueOf(m).Clear() },
		"Overlaps":        overlaps,
		"SortOrdered":     sortOrdered,
		"SortSlice":       sort.Slice,
		"SortSliceStable": sort.SliceStable,
		"ContainsStrings": func(x []string, s string) bool { return slices.Contains(x, s) },
		"ContainsInts":    func(x []int, n int) bool { return slices.Contains(x, n) },
		"IndexOfStrings":  func(x []string, s string) int { return slices.Index(x, s) },
		"IndexOfInts":     func(x []int, n int) int { return slices.Index(x, n) },
	} {
		table[name] = reflect.ValueOf(f)
	}
	return table
}

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

// Print is fmt.Print to what the cell prints.
func (r *Runtime) Print(args ...any) (int, error) { return io.WriteString(r.Stdout, r.Sprint(args...)) }

// Println is fmt.Println to what the cell prints.
func (r *Runtime) Println(args ...any) (int, error) { return fmt.Fprintln(r.Stdout, args...) }

// Printf is fmt.Printf to what the cell prints.
func (r *Runtime) Printf(format string, args ...any) (int, error) {
	format, args = r.typed(format, args)
	return fmt.Fprintf(r.Stdout, format, args...)
}

// Sprint is fmt.Sprint.
func (r *Runtime) Sprint(args ...any) string {
	return string(r.Append(nil, args...))
}

// Sprintln is fmt.Sprintln.
func (r *Runtime) Sprintln(args ...any) string { return fmt.Sprintln(args...) }

// Sprintf is fmt.Sprintf.
func (r *Runtime) Sprintf(format string, args ...any) string {
	format, args = r.typed(format, args)
	return fmt.Sprintf(format, args...)
}

// Fprint is fmt.Fprint.
func (r *Runtime) Fprint(w io.Writer, args ...any) (int, error) {
	return w.Write(r.Append(nil, args...))
}

// Fprintln is fmt.Fprintln.
func (r *Runtime) Fprintln(w io.Writer, args ...any) (int, error) { return fmt.Fprintln(w, args...) }

// Fprintf is fmt.Fprintf.
func (r *Runtime) Fprintf(w io.Writer, format string, args ...any) (int, error) {
	format, args = r.typed(format, args)
	return fmt.Fprintf(w, format, args...)
}

// Append is fmt.Append: between operands neither of which is of a string type stands a space.
func (r *Runtime) Append(b []byte, args ...any) []byte {
	wasString := true
	for _, a := range args {
		v, _ := unbox(a)
		isString := v != nil && reflect.TypeOf(v).Kind() == reflect.String
		if !isString && !wasString {
			b = append(b, ' ')
		}
		b = fmt.Append(b, a)
		wasString = isString
	}
	return b
}

// Appendln is fmt.Appendln.
func (r *Runtime) Appendln(b []byte, args ...any) []byte { return fmt.Appendln(b, args...) }

// Appendf is fmt.Appendf.
func (r *Runtime) Appendf(b []byte, format string, args ...any) []byte {
	format, args = r.typed(format, args)
	return fmt.Appendf(b, format, args...)
}

// Errorf is fmt.Errorf.
func (r *Runtime) Errorf(format string, args ...any) error {
	format, args = r.typed(format, args)
	return fmt.Errorf(format, args...)
}

// BuiltinPrint is print, which Go writes to the standard error stream.
func (r *Runtime) BuiltinPrint(args ...any) {
	var b bytes.Buffer
	for _, a := range args {
		b.WriteString(builtinText(a))
	}
	_, _ = r.Stdout.Write(b.Bytes())
}

// BuiltinPrintln is println.
func (r *Runtime) BuiltinPrintln(args ...any) {
	var parts []string
	for _, a := range args {
		parts = append(parts, builtinText(a))
	}
	_, _ = io.WriteString(r.Stdout, strings.Join(parts, " ")+"\n")
}

func builtinText(a any) string {
	v, _ := unbox(a)
	if v == nil {
		return "(0x0,0x0)"
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(rv.Float(), 'g', -1, rv.Type().Bits())
	case reflect.Map, reflect.Pointer, reflect.Func, reflect.Chan:
		return fmt.Sprintf("%#x", rv.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", rv.Len(), rv.Cap(), rv.Pointer())
	}
	return fmt.Sprint(v)
}

// bothWays takes the direction from a channel: a direction is a matter of types alone.
func bothWays[T any](c <-chan T) chan T { return *(*chan T)(unsafe.Pointer(&c)) }
