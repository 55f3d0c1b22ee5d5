package dyn

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Print is fmt.Print to what the cell prints.
func (r *Runtime) Print(args ...any) (int, error) { return fmt.Fprint(r.Stdout, args...) }

// Println is fmt.Println to what the cell prints.
func (r *Runtime) Println(args ...any) (int, error) { return fmt.Fprintln(r.Stdout, args...) }

// Printf is fmt.Printf to what the cell prints.
func (r *Runtime) Printf(format string, args ...any) (int, error) {
	return fmt.Fprintf(r.Stdout, format, args...)
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
	if a == nil {
		return "(0x0,0x0)"
	}
	rv := reflect.ValueOf(a)
	switch rv.Kind() {
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(rv.Float(), 'g', -1, rv.Type().Bits())
	case reflect.Map, reflect.Pointer, reflect.Func, reflect.Chan:
		return fmt.Sprintf("%#x", rv.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", rv.Len(), rv.Cap(), rv.Pointer())
	}
	return fmt.Sprint(a)
}
