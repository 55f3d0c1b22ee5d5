package trajectory

// CallKey identifies a sub-call in a log. Its beginning and its reply have the same key, in whatever order concurrent
// calls are recorded.
type CallKey struct {
	Path string // of the run
	Cell int    // that calls
	Hash string // of what is asked
	N    int    // how often the cell asked the same before
}

// Key is the key of a call of the run at path.
func (d SubCallStarted) Key(path string) CallKey { return CallKey{path, d.Cell, d.Hash, d.N} }

// Key is the key of a call of the run at path.
func (d SubCallEnded) Key(path string) CallKey { return CallKey{path, d.Cell, d.Hash, d.N} }
