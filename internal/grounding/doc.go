// Package grounding traces the values of an answer to the places of a run that they come from: what cells
// printed and computed, the replies of sub-calls, the text that the first message showed. It is pure: no
// I/O, clock or interpreter.
//
// Grounded is not true. A value is grounded when a reader can be shown where it comes from; a wrong count
// that code computed is, a right guess is not. Values stay grounded when they are rewritten (1,284,503 as
// 1.284.503, 15320 ms as 15.32 s, "Keller, Maria" as Maria Keller) and rounded rightly. They do not when
// the model made them in its head, wrote them itself as a literal, or took them from another row of a
// table.
//
// [Trace] works backwards: it takes the claims of the answer, some dozens, and reads each text of the run
// once. Its cost is linear in what the run showed, with bounds on claims, bytes of a variable and
// comparisons; what lies beyond them is counted as not traced.
package grounding
