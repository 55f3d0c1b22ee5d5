// Package reply reads a model's reply: the cells to run, the prose, and the completion signals in the prose.
//
// It only reads text; package termination decides what a signal means for the run. Blocks are those of goldmark's
// tree, and code spans are found by goldmark's rules, so that code is never mistaken for prose. Signals are found
// by scanning: parentheses and quotes balance, and a mentioned signal is distinguished from a called one
// (Position).
package reply
