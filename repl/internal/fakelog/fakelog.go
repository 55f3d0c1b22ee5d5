// Package fakelog replaces log in cells: its loggers are Go's own, except that they write to the cell's output, and
// that Fatal ends the cell instead of the process.
package fakelog

import (
	"io"
	"log"
	"reflect"
)

// Logger is Go's log.Logger, except that it cannot end the process.
type Logger struct {
	log  *log.Logger
	exit func(code int)
}

// Print is like log.Logger.Print.
func (l *Logger) Print(v ...any) { l.log.Print(v...) }

// Printf is like log.Logger.Printf.
func (l *Logger) Printf(format string, v ...any) { l.log.Printf(format, v...) }

// Println is like log.Logger.Println.
func (l *Logger) Println(v ...any) { l.log.Println(v...) }

// Fatal prints and ends the cell.
func (l *Logger) Fatal(v ...any) { l.log.Print(v...); l.exit(1) }

// Fatalf prints and ends the cell.
func (l *Logger) Fatalf(format string, v ...any) { l.log.Printf(format, v...); l.exit(1) }

// Fatalln prints and ends the cell.
func (l *Logger) Fatalln(v ...any) { l.log.Println(v...); l.exit(1) }

// Panic is like log.Logger.Panic.
func (l *Logger) Panic(v ...any) { l.log.Panic(v...) }

// Panicf is like log.Logger.Panicf.
func (l *Logger) Panicf(format string, v ...any) { l.log.Panicf(format, v...) }

// Panicln is like log.Logger.Panicln.
func (l *Logger) Panicln(v ...any) { l.log.Panicln(v...) }

// Output is like log.Logger.Output.
func (l *Logger) Output(calldepth int, s string) error { return l.log.Output(calldepth, s) }

// Flags is like log.Logger.Flags.
func (l *Logger) Flags() int { return l.log.Flags() }

// SetFlags is like log.Logger.SetFlags.
func (l *Logger) SetFlags(flag int) { l.log.SetFlags(flag) }

// Prefix is like log.Logger.Prefix.
func (l *Logger) Prefix() string { return l.log.Prefix() }

// SetPrefix is like log.Logger.SetPrefix.
func (l *Logger) SetPrefix(prefix string) { l.log.SetPrefix(prefix) }

// Writer is like log.Logger.Writer.
func (l *Logger) Writer() io.Writer { return l.log.Writer() }

// SetOutput is like log.Logger.SetOutput.
func (l *Logger) SetOutput(w io.Writer) { l.log.SetOutput(w) }

// Symbols returns the package's exported names, with a new standard logger that writes to out. exit ends the
// cell and does not return.
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
