// Package grounding traces the values of an answer to the places of a run that they come from: the output and
// values of cells, the replies of sub-calls, and the text that the first message showed. It is pure: no I/O, clock
// or interpreter.
//
// Grounded does not mean true. A value is grounded if its origin can be shown to a reader: a wrong count computed
// by code is grounded, a right guess is not. Values remain grounded when they are rewritten (1,284,503 as
// 1.284.503, 15320 ms as 15.32 s, "Keller, Maria" as Maria Keller) or correctly rounded. They are not grounded if
// the model made them up, wrote them itself as a literal, or took them from another row of a table.
//
// [Trace] starts from the claims of the answer, a few dozen, and reads each text of the run once to find them. Its
// cost is linear in the size of those texts, with bounds on claims, bytes of a variable and comparisons; values
// beyond the bounds are counted as untraced.
package grounding
