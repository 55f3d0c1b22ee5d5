// Package fakelog is what cells get when they import log: Go's own loggers, writing to what the cell prints, whose Fatal
// ends the cell instead of the process.
package fakelog

import (
	"io"
	"log"
	"reflect"
)

// Logger is Go's log.Logger without a way to end the process.
type Logger struct {
	log  *log.Logger
	exit func(code int)
}

// Print is log.Logger's.
func (l *Logger) Print(v ...any) { l.log.Print(v...) }

// Printf is log.Logger's.
func (l *Logger) Printf(format string, v ...any) { l.log.Printf(format, v...) }

// Println is log.Logger's.
func (l *Logger) Println(v ...any) { l.log.Println(v...) }

// Fatal prints and ends the cell.
func (l *Logger) Fatal(v ...any) { l.log.Print(v...); l.exit(1) }

// Fatalf prints and ends the cell.
func (l *Logger) Fatalf(format string, v ...any) { l.log.Printf(format, v...); l.exit(1) }

// Fatalln prints and ends the cell.
func (l *Logger) Fatalln(v ...any) { l.log.Println(v...); l.exit(1) }

// Panic is log.Logger's.
func (l *Logger) Panic(v ...any) { l.log.Panic(v...) }

// Panicf is log.Logger's.
func (l *Logger) Panicf(format string, v ...any) { l.log.Panicf(format, v...) }

// Panicln is log.Logger's.
func (l *Logger) Panicln(v ...any) { l.log.Panicln(v...) }

// Output is log.Logger's.
func (l *Logger) Output(calldepth int, s string) error { return l.log.Output(calldepth, s) }

// Flags is log.Logger's.
func (l *Logger) Flags() int { return l.log.Flags() }

// SetFlags is log.Logger's.
func (l *Logger) SetFlags(flag int) { l.log.SetFlags(flag) }

// Prefix is log.Logger's.
func (l *Logger) Prefix() string { return l.log.Prefix() }

// SetPrefix is log.Logger's.
func (l *Logger) SetPrefix(prefix string) { l.log.SetPrefix(prefix) }

// Writer is log.Logger's.
func (l *Logger) Writer() io.Writer { return l.log.Writer() }

// SetOutput is log.Logger's.
func (l *Logger) SetOutput(w io.Writer) { l.log.SetOutput(w) }

// Symbols is the package as a table of its exported names, with a standard logger of its own that writes to out.
// exit ends the cell and does not return.
func Symbols(out io.Writer, exit func(code int)) map[string]reflect.Value {
	std := &Logger{log.New(out, "", log.LstdFlags), exit}
	table := map[string]reflect.Value{
		"Logger": reflect.ValueOf((*Logger)(nil)),
		"New": reflect.ValueOf(func(out io.Writer, prefix string, flag int) *Logger {
			return &Logger{log.New(out, prefix, flag), exit}
		}),
		"Default":       reflect.ValueOf(func() *Logger { return std }),
		"Ldate":         reflect.ValueOf(log.Ldate),
		"Ltime":         reflect.ValueOf(log.Ltime),
		"Lmicroseconds": reflect.ValueOf(log.Lmicroseconds),
		"Llongfile":     reflect.ValueOf(log.Llongfile),
		"Lshortfile":    reflect.ValueOf(log.Lshortfile),
		"LUTC":          reflect.ValueOf(log.LUTC),
		"Lmsgprefix":    reflect.ValueOf(log.Lmsgprefix),
		"LstdFlags":     reflect.ValueOf(log.LstdFlags),
	}
	methods := reflect.ValueOf(std)
	for i := range methods.NumMethod() {
		table[methods.Type().Method(i).Name] = methods.Method(i)
	}
	return table
}
