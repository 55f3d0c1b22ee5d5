package sandbox

import (
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Mark is a passage of a context that a cell has cited. Where it lies is what the worker says: its bytes are to be compared with Digest.
type Mark struct {
	Number         int // in the notebook, growing
	Of             Context
	Offset, Length int64  // in Of
	Digest         string // see builtins.Digest
	Occurrences    int    // places where the same words stand, if the cell had a copy of them
}

// mark takes marks from the worker. It believes only what can be: passages of contexts that the worker was given, with new numbers.
func (r *running) mark(f wire.Frame) (violation string) {
	marks, err := wire.UnpackMarks(f.Body)
	if err != nil {
		return err.Error()
	}
	if r.replay {
		return "" // they are known
	}
	for _, m := range marks {
		last := r.record.Marked
		if n := len(r.marks); n > 0 {
			last = r.marks[n-1].Number
		}
		switch {
		case m.Number <= last:
			return "marks out of order"
		case r.s.marks+len(r.marks) >= builtins.MaxMarks:
			return "more marks than there can be"
		case m.Context >= len(r.s.views):
			return "a mark for a context that there is not"
		}
		of := r.s.views[m.Context]
		if m.Offset > of.Size-m.Length {
			return "a mark for a passage outside of the context"
		}
		r.marks = append(r.marks, Mark{Number: m.Number, Of: of, Offset: m.Offset, Length: m.Length, Digest: m.Digest, Occurrences: m.Occurrences})
	}
	return ""
}

// version is the number of a context among those that the session has had.
func (s *Session) version(c Context) int {
	for i, known := range s.views {
		if known.File == c.File && known.Offset == c.Offset && known.Size == c.Size && len(known.Docs) == len(c.Docs) {
			return i
		}
	}
	s.views = append(s.views, c)
	return len(s.views) - 1
}

// state is what cells see with a context.
func (s *Session) state(c Context, history []string) textState {
	return textState{c, history, s.version(c)}
}
