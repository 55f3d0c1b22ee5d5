// Package repl runs Go as a notebook language: cells mix imports, declarations and statements; their variables,
// functions and types persist; the value of the last expression is shown; and cells can call builtins that the host
// adds. The package knows nothing about processes, models or runs: give New a Config, call Run for each cell and
// read the Result.
//
// A cell passes three stages, each in its own package below internal: cell turns text into syntax, check turns
// syntax into a checked unit (or into an error that suggests a fix), engine runs the unit. This package's README
// lists what a cell can do beyond the language, and the few differences from a compiled program.
package repl
