// Package check turns the syntax of a cell into a checked unit that an engine can run: it imports packages
// that are used, renames what the session declares again, hoists the cell's variables so that later cells
// see them, type-checks the whole against the session, and words what is wrong for the one who wrote the
// cell.
package check
