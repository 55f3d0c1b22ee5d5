// Package repl runs Go as a notebook language: cells in which imports, declarations and statements mix, whose variables, functions and
// types live on, whose last expression is shown, and which may call the builtins that the host adds. It knows nothing of processes, models
// or runs: give New a Config, call Run for each cell and read the Result.
//
// A cell passes three stages, each a package of its own below internal: cell turns text into syntax, check turns syntax into a checked
// unit (or into an error that says what to do), engine runs it. What a cell may do beside the language, and the few differences from a
// compiled program, stand in this package's README.
package repl
