package sandbox

import (
	"slices"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Mark is a passage of a context that a cell has cited. A worker may report a wrong position: compare the bytes
// there with Digest.
type Mark struct {
	Number         int // increases within the notebook
	Of             Context
	Offset, Length int64  // of the passage in Of, in bytes
	Digest         string // see builtins.Digest
	Occurrences    int    // how often the same text occurs, if the cell cited a copy of it
}

// markTable contains the marks that a session's notebook has made. A passage keeps its number in every later
// worker.
type markTable struct {
	all  []Mark
	last int // the highest number given so far
	told int // how many marks the results so far have reported
}

func (b *markTable) add(marks ...Mark) {
	for _, m := range marks {
		b.last = max(b.last, m.Number)
	}
	b.all = append(b.all, marks...)
}

// take returns the marks that no result has reported yet.
func (b *markTable) take() []Mark {
	fresh := slices.Clone(b.all[b.told:])
	b.told = len(b.all)
	return fresh
}

// mark accepts marks from the worker if they are plausible: with new numbers, of passages in contexts that the
// worker was given. A replayed cell that strays may also make marks.
func (r *cellRun) mark(f wire.Frame) (violation string) {
	marks, err := wire.UnpackMarks(f.Body)
	if err != nil {
		return err.Error()
	}
	book := &r.s.marks
	knowsAll := r.p.marks == len(book.all)
	for _, m := range marks {
		switch {
		case m.Number <= book.last:
			return "marks out of order"
		case len(book.all) >= builtins.MaxMarks:
			return "more marks than there can be"
		case m.Context < 0 || m.Context >= len(r.s.views):
			return "a mark for a context that there is not"
		}
		of := r.s.views[m.Context]
		if m.Offset > of.Size-m.Length {
			return "a mark for a passage outside of the context"
		}
		book.add(Mark{
			Number: m.Number, Of: of, Offset: m.Offset, Length: m.Length, Digest: m.Digest,
			Occurrences: m.Occurrences,
		})
	}
	if knowsAll {
		r.p.marks = len(book.all)
	}
	return ""
}

// unknownTo returns the marks that a worker does not know yet, and records that it now knows them. A mark whose
// passage is in none of the session's contexts gets context -1.
func (s *Session) unknownTo(p *process) []builtins.Mark {
	var out []builtins.Mark
	for _, m := range s.marks.all[p.marks:] {
		mark := builtins.Mark{
			Number: m.Number, Context: -1, Offset: m.Of.Offset + m.Offset, Length: m.Length,
			Digest: m.Digest, Occurrences: m.Occurrences,
		}
		for i, v := range s.views {
			if v.File == m.Of.File && mark.Offset >= v.Offset && mark.Offset+m.Length <= v.Offset+v.Size {
				mark.Context, mark.Offset = i, mark.Offset-v.Offset
				break
			}
		}
		out = append(out, mark)
	}
	p.marks = len(s.marks.all)
	return out
}

// version returns the index of a context in the list of those that the session has had. If the context is new, it
// is added to the list.
func (s *Session) version(c Context) int {
	for i, known := range s.views {
		if known.File == c.File && known.Offset == c.Offset && known.Size == c.Size && len(known.Docs) == len(c.Docs) {
			return i
		}
	}
	s.views = append(s.views, c)
	return len(s.views) - 1
}

// state returns what cells see of a context.
func (s *Session) state(c Context, history []string) textState {
	return textState{c, history, s.version(c)}
}
