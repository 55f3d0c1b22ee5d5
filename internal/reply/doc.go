// Package reply reads a model's reply: the cells to run, the prose, and the completion signals that stand in the prose.
//
// It works on text alone: what a signal means for the run, package termination decides. Blocks are those of goldmark's tree, and
// code spans are found as goldmark finds them, so that code is never taken for prose. Signals are found by scanning: parentheses and
// quotes balance, and a signal that is only talked about is told from one that is called (Place).
package reply
