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
