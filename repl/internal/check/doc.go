// Package check turns the syntax of a cell into a checked unit that an engine can run: it imports the packages that
// are used, renames what is declared again in the session, hoists the cell's variables so that later cells see
// them, type-checks everything against the session, and words the errors for the cell's author.
package check
