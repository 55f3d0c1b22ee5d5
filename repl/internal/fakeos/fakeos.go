// Package fakeos replaces os in cells: it provides the standard streams, no arguments, and an Exit that ends the
// cell instead of the process. There are no files.
package fakeos

import (
	"errors"
	"io"
	"io/fs"
	"reflect"
)

// File is a standard stream.
type File struct {
	name string
	out  io.Writer
}

var errNoFile = errors.New("cells have no files")

// Write writes to the cell's output.
func (f *File) Write(b []byte) (int, error) {
	if f == nil || f.out == nil {
		return 0, errNoFile
	}
	return f.out.Write(b)
}

// WriteString is like Write.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// Read returns io.EOF: cells have no input.
func (f *File) Read([]byte) (int, error) { return 0, io.EOF }

// Name returns the stream's name, such as /dev/stdout.
func (f *File) Name() string { return f.name }

// Close does nothing: a later cell may still print.
func (f *File) Close() error { return nil }

// Sync does nothing.
func (f *File) Sync() error { return nil }

// Symbols returns the package's exported names. Each call makes new variables, so that assignments to os.Stdout or
// os.Args affect only one session. exit ends the cell and does not return.
func Symbols(out io.Writer, exit func(code int)) map[string]reflect.Value {
	stdin, stdout, stderr := &File{name: "/dev/stdin"}, &File{"/dev/stdout", out}, &File{"/dev/stderr", out}
	args := []string{"cell"}
	notExist, exist, invalid, permission := fs.ErrNotExist, fs.ErrExist, fs.ErrInvalid, fs.ErrPermission
	return map[string]reflect.Value{
		"File":          reflect.ValueOf((*File)(nil)),
		"Stdin":         reflect.ValueOf(&stdin).Elem(),
		"Stdout":        reflect.ValueOf(&stdout).Elem(),
		"Stderr":        reflect.ValueOf(&stderr).Elem(),
		"Args":          reflect.ValueOf(&args).Elem(),
		"ErrNotExist":   reflect.ValueOf(&notExist).Elem(),
		"ErrExist":      reflect.ValueOf(&exist).Elem(),
		"ErrInvalid":    reflect.ValueOf(&invalid).Elem(),
		"ErrPermission": reflect.ValueOf(&permission).Elem(),
		"Exit":          reflect.ValueOf(exit),
		"Getenv":        reflect.ValueOf(func(string) string { return "" }),
		"LookupEnv":     reflect.ValueOf(func(string) (string, bool) { return "", false }),
	}
}
