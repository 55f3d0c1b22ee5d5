// Package answer holds what an answer is: the value that a cell hands over and how it was given (FinalOutput), what the cell then
// panics with (Sentinel), the text that a reader gets of any Go value (Format, Value), what a task signal says about the work
// (Finish), and the map in which an answer can be built over several cells (Ready). It is all that a notebook needs to know of
// how runs end.
package answer
