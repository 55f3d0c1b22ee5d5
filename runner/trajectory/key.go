package trajectory

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
