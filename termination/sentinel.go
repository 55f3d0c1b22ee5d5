package termination

import "errors"

// Error makes FinalOutput usable as the sentinel that unwinds a cell.
func (f FinalOutput) Error() string {
	return f.Signal + ": the cell has given its answer"
}

// IsFinal reports whether a recovered value (or an error) is the sentinel.
func IsFinal(recovered any) (FinalOutput, bool) {
	if p, ok := recovered.(*FinalOutput); ok && p != nil {
		return *p, true
	}
	err, ok := recovered.(error)
	if !ok {
		return FinalOutput{}, false
	}
	var f FinalOutput
	ok = errors.As(err, &f)
	return f, ok
}
