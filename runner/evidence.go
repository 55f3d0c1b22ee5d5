package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// marks converts the marks of a cell to the log's form, as positions in texts that were the session's context. A
// passage of a child run's own text is looked up in the context; if it is not there, the mark refers to the child's
// text.
func (r *run) marks(ctx context.Context, given []sandbox.Mark) ([]trajectory.Mark, error) {
	out := make([]trajectory.Mark, 0, len(given))
	var copies []string
	var of []int
	for _, m := range given {
		mark := trajectory.Mark{
			Number: m.Number, Offset: m.Of.Offset + m.Offset, Length: m.Length, Digest: m.Digest,
			Occurrences: m.Occurrences,
		}
		if text := r.textIn(m.Of.File); text != nil {
			mark.Text = text.Facts().SHA256
		} else if mark.Text = r.path; m.Length <= longestCopy {
			passage, err := io.ReadAll(io.NewSectionReader(m.Of.File, mark.Offset, m.Length))
			if err != nil {
				return nil, fmt.Errorf("reading a cited passage: %w", err)
			}
			copies, of = append(copies, string(passage)), append(of, len(out))
		}
		out = append(out, mark)
	}
	now := r.context()
	if now == nil || len(copies) == 0 {
		return out, nil
	}
	places, err := search.ReadQuotations(ctx, now, now.Size(), copies)
	if errors.Is(err, search.ErrTooRepetitive) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for i, p := range places {
		if p.Count == 0 {
			continue
		}
		mark := &out[of[i]]
		mark.Text, mark.Offset, mark.Length, mark.Occurrences = now.Facts().SHA256, p.Offset, p.Length, p.Count
		if mark.Digest, err = builtins.DigestAt(now, p.Offset, p.Length); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// given converts marks of the log to the sandbox's form. text finds the text of a mark.
func given(marks []trajectory.Mark, text func(hash string) *corpus.Text) []sandbox.Mark {
	var out []sandbox.Mark
	for _, m := range marks {
		if m.Number < 1 || m.Number > builtins.HighestMark || m.Length < 1 || m.Offset < 0 ||
			len(out) == builtins.MaxMarks {
			continue // not a mark that a cell can have made
		}
		mark := sandbox.Mark{
			Number: m.Number, Offset: m.Offset, Length: m.Length, Digest: m.Digest,
			Occurrences: max(m.Occurrences, 0),
		}
		if t := text(m.Text); t != nil {
			mark.Of = sandbox.Context{File: t.File(), Size: t.Size()}
		}
		out = append(out, mark)
	}
	return out
}

// longestCopy bounds in bytes the passages of a child's text that are looked up in the context.
const longestCopy = 64 << 10

// textIn returns the session's text that is stored in file, nil if the file belongs to a child run.
func (t *tree) textIn(file *os.File) *corpus.Text {
	for _, text := range t.texts {
		if text.File() == file {
			return text
		}
	}
	return nil
}

// textOf returns the session's text with a hash, nil if there is none.
func (t *tree) textOf(hash string) *corpus.Text {
	for _, text := range t.texts {
		if text.Facts().SHA256 == hash {
			return text
		}
	}
	return nil
}

// context returns the session's context, nil if there is none.
func (t *tree) context() *corpus.Text {
	if len(t.texts) == 0 {
		return nil
	}
	return t.texts[len(t.texts)-1]
}

// findings are the results of checking an answer.
type findings struct {
	evidence   []trajectory.Evidence
	unknown    []string
	unverified []string
}

// look checks an answer against the context. If the check itself fails, the answer stays, with a warning.
func (r *run) look(ctx context.Context, text string) (f findings) {
	if r.looked.answer == text && text != "" {
		return r.looked.findings
	}
	interrupted := ctx.Err() != nil // if set, do only what is quick
	ctx = context.WithoutCancel(ctx)
	now := r.context()
	var err error
	if f.evidence, f.unknown, err = r.evidence.Check(ctx, text, now, r.texts); err == nil && now != nil &&
		now.Size() > 0 && !interrupted {
		f.unverified, err = evidence.Unverified(ctx, now, now.Size(), text)
	}
	if err != nil {
		_ = r.journal.Append(r.path, r.turn, trajectory.Warned{
			About: "evidence", Text: "the evidence of the answer could not be checked: " + err.Error(),
		})
	}
	for i, q := range f.unverified {
		f.unverified[i] = evidence.Excerpt(q, quotationShown)
	}
	f.unverified = f.unverified[:min(len(f.unverified), quotationsListed)]
	r.looked = checkedAnswer{text, f}
	return f
}

// checkedAnswer is the last answer that was checked.
type checkedAnswer struct {
	answer string
	findings
}

// Bounds of the quotations that a result lists.
const (
	quotationShown   = 1000 // bytes of each quotation
	quotationsListed = 1000
)

// lacks returns, for the model, why an answer is not supported; "" if it is.
func (f findings) lacks(cite string) string {
	switch {
	case len(f.unknown) > 0:
		return fmt.Sprintf("the answer has a mark that %s has not given for a passage of the documents: %s", cite,
			f.unknown[0])
	case len(f.unverified) > 0:
		return fmt.Sprintf("the answer quotes words that do not stand in the documents (%s): %q",
			units.Of(len(f.unverified), "quotation"), evidence.Excerpt(f.unverified[0], 300))
	case len(f.evidence) == 0:
		return "the answer has no evidence: it has no mark of " + cite
	}
	return ""
}

// cite is the name of the builtin that makes marks.
func (r *run) cite() string {
	if name := builtinOf(r.specs, builtins.ImplCite); name != "" {
		return name
	}
	return builtins.ImplCite
}
