// Package symbols contains the tables through which interpreted cells reach the standard library: the functions,
// variables and types of every allowed package and, for each interface, a wrapper type whose methods are function
// fields. The tables are functions, not package variables, so that a process pays only for the packages that it
// uses.
package symbols

import "reflect"

//go:generate go run ./gen

// Table returns the symbols of the package with the given import path, or nil if cells cannot use it. Its variables
// are the caller's own copies.
func Table(path string) map[string]reflect.Value {
	if f := tables[path]; f != nil {
		return copies{}.own(f())
	}
	return nil
}
