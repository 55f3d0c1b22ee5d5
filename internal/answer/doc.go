// Package answer defines answers: the answer that a cell gives and how it was given (FinalOutput), the value that
// the cell then panics with (Sentinel), the text of any Go value for readers (Format, Value), the result of a task
// signal (Finish), and the map in which cells can build an answer step by step (Ready). It is all that a notebook
// needs to know about how runs end.
package answer
