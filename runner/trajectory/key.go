package trajectory

import (
	"cmp"
	"slices"
)

// CallKey identifies a sub-call in a log. Its start and its reply have the same key, in whatever order concurrent
// calls are recorded.
type CallKey struct {
	Path string // of the run
	Cell int    // that makes the call
	Hash string // of the request
	N    int    // how often the cell made the same request before
}

// Key is the key of a call of the run at path.
func (d SubCallStarted) Key(path string) CallKey { return CallKey{path, d.Cell, d.Hash, d.N} }

// Key is the key of a call of the run at path.
func (d SubCallEnded) Key(path string) CallKey { return CallKey{path, d.Cell, d.Hash, d.N} }

// InOrder puts the calls of a cell, in the order in which they began, into that of their prompts: the calls of each
// batch come together. place returns the Batch and the Index of a call. Then the first call is number 1.
func InOrder[T any](calls []T, place func(T) (batch, index int)) {
	type placed struct {
		call         T
		first, index int
	}
	first := map[int]int{}
	all := make([]placed, len(calls))
	for i, c := range calls {
		batch, index := place(c)
		all[i] = placed{c, i, index}
		if at, ok := first[batch]; ok {
			all[i].first = at
		} else if batch > 0 {
			first[batch] = i
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Or(a.first-b.first, a.index-b.index) })
	for i := range all {
		calls[i] = all[i].call
	}
}
