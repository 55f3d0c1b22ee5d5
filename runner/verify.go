package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Verification is the result of checking the evidence of an answer again.
type Verification struct {
	RunID    string    `json:"run_id"`
	Question string    `json:"question"`
	Passages []Passage `json:"passages"` // passages that the answer's marks refer to
	// UnknownMarks refer to no passage, as recorded with the answer.
	UnknownMarks []string `json:"unknown_marks,omitempty"`
	// Unverified lists quotations in the answer that do not occur in the documents as they are now.
	Unverified []string `json:"unverified,omitempty"`
	// Unsupported is what the answer lacked when it was accepted although evidence was required.
	Unsupported string `json:"unsupported,omitempty"`
	// Grounding is what the answer rests on, traced again.
	Grounding *trajectory.Grounding `json:"grounding,omitempty"`
	// Changed lists the documents that have changed since they were read.
	Changed []Document `json:"changed,omitempty"`
}

// Passage is a piece of evidence as recorded, and its present state.
type Passage struct {
	trajectory.Evidence
	State PassageState `json:"state"`
	// Line is the passage's present line.
	Line int64 `json:"line_now,omitempty"`
	// Stood is set for a passage that has disappeared but occurs in the run folder's copy of the text that the run
	// saw.
	Stood bool `json:"stood,omitempty"`
}

// PassageState reports whether a passage is where it was.
type PassageState string

// The states of passages.
const (
	PassageHolds PassageState = "holds"            // the passage is where it was, word for word
	PassageMoved PassageState = "moved"            // the same words are elsewhere in the document
	PassageLost  PassageState = "not there"        // the document no longer has the words
	PassageGone  PassageState = "document is gone" // the document no longer exists
)

// Holds reports whether every passage is still in its document, and the answer has no unknown mark, no unverified
// quotation and no missing evidence.
func (v Verification) Holds() bool {
	for _, p := range v.Passages {
		if p.State != PassageHolds && p.State != PassageMoved {
			return false
		}
	}
	return len(v.UnknownMarks)+len(v.Unverified) == 0 && v.Unsupported == ""
}

// Verify checks the evidence of a run's last answer again. If the documents have not changed, it uses the text that
// the run saw, even if a later version would convert them differently; otherwise it uses the present documents.
// Pages are not fetched again. id may be any unique prefix of an id. The log is only read.
func (r *Runner) Verify(ctx context.Context, id string) (Verification, error) {
	id, dir, err := r.findRun(id)
	if err != nil {
		return Verification{}, err
	}
	events, err := journal.Read(dir)
	if err != nil {
		return Verification{}, err
	}
	v := verifier{
		session: &Session{cfg: r.cfg, id: id, dir: dir, known: map[string]*corpus.Text{}},
		book:    evidence.NewMarkRegistry(""),
	}
	v.read(trajectory.Kept(events), r.cfg, id)
	if !v.end.HasAnswer {
		return v.out, fmt.Errorf("run %s has no answer to check", id)
	}
	defer v.close()
	if err := v.load(ctx); err != nil {
		return v.out, err
	}
	traceable, err := tracedEvents(dir, "")
	if err != nil {
		return v.out, err
	}
	var text *corpus.Text // as the run saw it
	if v.same {
		text = v.texts[0]
	} else if text = v.session.keptOf(ctx, v.context); text != nil {
		defer text.Close()
	}
	v.out.Grounding = traced(tracedRun(beforeAnswer(traceable, v.end.Answer)), v.end.Answer, v.end.Guess, text)
	return v.out, v.check(ctx)
}

// verifier checks one answer.
type verifier struct {
	session *Session
	book    *evidence.MarkRegistry
	end     trajectory.RunEnded
	context trajectory.ContextAdded
	out     Verification
	texts   []*corpus.Text // the recorded text, if known, and the present one
	same    bool           // the text is unchanged
}

// read finds the last answer, its context, and the marks.
func (v *verifier) read(events []trajectory.Event, c config, id string) {
	var now trajectory.ContextAdded
	question := ""
	if recorded, err := c.recorded(id, events); err == nil {
		c = recorded
	}
	v.book = evidence.NewMarkRegistry(c.letters(id))
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellEnded); ok {
			v.book.Add(ev.Path, d.Marks)
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			question = d.Question
		case trajectory.ContextAdded:
			now = d
		case trajectory.RunEnded:
			if d.HasAnswer {
				v.end, v.context = d, now
				v.out = Verification{
					RunID: id, Question: question, UnknownMarks: d.UnknownMarks,
					Unsupported: d.Unsupported, Passages: []Passage{},
				}
			}
		}
	}
}

// load reads the documents as they are now.
func (v *verifier) load(ctx context.Context) error {
	v.out.Changed = changedIn(v.context)
	if len(v.out.Changed) == 0 && v.context.Size > 0 {
		text, err := v.session.loadContext(ctx, v.context)
		if err == nil {
			v.texts, v.same = append(v.texts, text), true
			return nil
		}
		if !errors.Is(err, corpus.ErrChanged) {
			return err
		}
	}
	if v.context.Size == 0 {
		return nil
	}
	text, err := v.session.readNow(ctx, v.context)
	if err == nil {
		v.texts = append(v.texts, text)
	}
	return err
}

func (v *verifier) close() {
	for _, t := range v.texts {
		_ = t.Close()
	}
}

func (v *verifier) check(ctx context.Context) (err error) {
	if len(v.texts) == 0 {
		for _, e := range v.end.Evidence {
			v.out.Passages = append(v.out.Passages, Passage{Evidence: e, State: PassageGone})
		}
		return v.lookBack(ctx)
	}
	now := v.texts[0]
	if v.same {
		err = v.again(ctx, now)
	} else if err = v.search(ctx, now); err == nil {
		err = v.lookBack(ctx)
	}
	if err == nil {
		v.out.Unverified, err = evidence.Unverified(ctx, now, now.Size(), v.end.Answer)
	}
	return err
}

// again reads each passage at its recorded position.
func (v *verifier) again(ctx context.Context, text *corpus.Text) error {
	found, _, err := v.book.Check(ctx, v.end.Answer, text, v.texts)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range found {
		there[e.Mark] = true
	}
	for _, e := range v.end.Evidence {
		p := Passage{Evidence: e, State: PassageLost}
		switch {
		case there[e.Mark]:
			p.State, p.Line = PassageHolds, e.Line
		case e.Gone:
			p.State = PassageGone
		}
		v.out.Passages = append(v.out.Passages, p)
	}
	return nil
}

// search looks for the words of each passage in the present document.
func (v *verifier) search(ctx context.Context, now *corpus.Text) error {
	all := make([]int, len(v.end.Evidence))
	for i, e := range v.end.Evidence {
		v.out.Passages, all[i] = append(v.out.Passages, Passage{Evidence: e, State: PassageGone}), i
	}
	return v.find(ctx, now, all, (*Passage).found)
}

// lookBack searches the text that the run saw, if its folder has a copy, for passages that have disappeared.
func (v *verifier) lookBack(ctx context.Context) error {
	var lost []int
	for i, p := range v.out.Passages {
		if p.State == PassageLost || p.State == PassageGone {
			lost = append(lost, i)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	kept := v.session.keptOf(ctx, v.context)
	if kept == nil {
		return ctx.Err()
	}
	err := v.find(ctx, kept, lost, func(p *Passage, line int64) { p.Stood = line > 0 })
	return errors.Join(err, kept.Close())
}

// find searches a text for passages, given by index, and calls found for each with the line of its words, 0 if they
// are not there.
func (v *verifier) find(ctx context.Context, text *corpus.Text, passages []int, found func(*Passage, int64)) error {
	was := map[string]int64{} // offsets of the documents in the recorded context
	for _, d := range filesIn(v.context) {
		was[d.Name] = d.Offset
	}
	wanted, of := map[string][]evidence.PassageQuery{}, map[string][]int{}
	for _, i := range passages {
		e := v.out.Passages[i].Evidence
		wanted[e.Document] = append(
			wanted[e.Document], evidence.PassageQuery{Words: evidence.Words(e), Offset: e.Offset - was[e.Document]})
		of[e.Document] = append(of[e.Document], i)
	}
	for _, d := range text.Documents() {
		if len(of[d.Name]) == 0 {
			continue
		}
		lines, err := evidence.FindLines(ctx, text, d, wanted[d.Name])
		if err != nil {
			return err
		}
		for i, line := range lines {
			found(&v.out.Passages[of[d.Name][i]], line)
		}
		delete(of, d.Name) // of documents with the same name, only the first is searched
	}
	return nil
}

// found sets the state of a passage whose words are now in the given line; 0 means nowhere.
func (p *Passage) found(line int64) {
	switch p.Line = line; line {
	case 0:
		p.State = PassageLost
	case p.Evidence.Line:
		p.State = PassageHolds
	default:
		p.State = PassageMoved
	}
}
