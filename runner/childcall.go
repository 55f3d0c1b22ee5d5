package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// child answers a call with a child run, whose notebook has the given text as context. Its turns are paid from the
// same lease, and its events are in the same log, under a path below the calling cell.
func (s *subcall) child(ctx context.Context) sandbox.Reply {
	if err := acquire(ctx, s.children[s.depth]); err != nil {
		return unwound(cause(ctx, err))
	}
	defer func() { <-s.children[s.depth] }()
	if !s.lease.Grants() {
		if lim := s.lease.Refuse(); lim != nil {
			return s.refused(trajectory.SubCallStarted{
				Impl: builtins.ImplChild, Prompt: trajectory.T(string(s.call.Body)),
			}, lim)
		}
	}
	path := s.journal.Child(s.key, s.number, s.call.Batch)
	question := string(s.call.Body) // a single copy: it may be long
	s.call.Body = nil
	if err := s.open(trajectory.SubCallStarted{
		Impl: builtins.ImplChild, Model: s.cfg.sub.Name(), Prompt: trajectory.T(question), Child: path,
	}); err != nil {
		return unwound(err)
	}
	text, err := s.childText(ctx)
	s.call.Text = nil // the child's text contains it
	tidy(text.Size + int64(len(question)))
	if ctx.Err() != nil {
		return unwound(cause(ctx, ctx.Err()))
	}
	if err != nil {
		return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{})
	}
	defer text.close()
	d, end, err := s.answerChild(ctx, path, question, text)
	if err != nil {
		return unwound(cause(ctx, err))
	}
	return s.close(childReply(end), d)
}

// childReply converts the end of a child run to the reply that the cell gets. A child without an answer is an
// ordinary failure of this one call.
func childReply(end trajectory.RunEnded) sandbox.Reply {
	if end.HasAnswer {
		return sandbox.Reply{Body: []byte(end.Answer)}
	}
	return sandbox.Reply{Error: fmt.Sprintf("the child run ended without an answer: %s (%s)", end.Reason, end.Status)}
}

// fallback replaces a child run at the greatest depth by a plain sub-call whose prompt is followed by the text.
func (s *subcall) fallback(ctx context.Context) sandbox.Reply {
	text, err := s.readText()
	if err != nil {
		return s.refuse(err.Error())
	}
	s.remarks.add(fmt.Sprintf(
		"child runs may not nest deeper than %d here, so a plain sub-call answered, from the prompt followed by the text", s.bounds.Depth))
	prompt := string(s.call.Body)
	if text != "" {
		prompt += "\n\n" + text
	}
	return s.query(ctx, prompt)
}

// fallbackLimit bounds the text of a fallback sub-call, in bytes; no model takes more.
const fallbackLimit = 16 << 20

func (s *subcall) readText() (string, error) {
	var b strings.Builder
	for _, t := range s.call.Text {
		size := int64(len(t.Bytes))
		if t.InContext {
			size = t.Size
		}
		if int64(b.Len())+size > fallbackLimit {
			return "", fmt.Errorf("at this depth a plain sub-call answers, and the text given to it has more than %d bytes; give it less", fallbackLimit)
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if !t.InContext {
			b.Write(t.Bytes)
			continue
		}
		c := s.nb.cfg.Context
		if _, err := io.Copy(&b, io.NewSectionReader(c.File, c.Offset+t.Offset, t.Size)); err != nil {
			return "", fmt.Errorf("reading the text of the call: %w", err)
		}
	}
	return b.String(), nil
}

// childContext is what a child's cells see as context: a range of a text.
type childContext struct {
	sandbox.Context
	of     *corpus.Text
	own    bool  // the text belongs to the child, not to the parent
	within int64 // offset of the range in the parent's context, unless own is set
}

func (c childContext) close() {
	if c.own {
		_ = c.of.Close()
	}
}

// record returns the log entry of the text, from which the child's cells can be run again.
func (c childContext) record() (trajectory.ContextAdded, error) {
	d := trajectory.ContextAdded{Size: c.Size, Documents: len(c.Docs), Offset: c.within}
	if !c.own {
		return d, nil
	}
	tidy(c.Size) // the text of the call is no longer needed
	var all strings.Builder
	all.Grow(int(c.Size)) // a single copy: the text may be as long as everything in flight
	if _, err := io.Copy(&all, io.NewSectionReader(c.of, 0, c.Size)); err != nil {
		return d, fmt.Errorf("recording the child's text: %w", err)
	}
	d.Offset, d.Text = 0, trajectory.T(all.String())
	return d, nil
}

// largeText is the size in bytes from which a text should not be in memory twice.
const largeText = 4 << 20

// tidy collects the garbage of a large text and returns the memory to the system. Otherwise several such texts
// accumulate before the collector runs, and the next text rarely fits into the gaps.
func tidy(size int64) {
	if size >= largeText {
		debug.FreeOSMemory()
	}
}

// facts describes the range to the child's model, with at most room bytes of it.
func (c childContext) facts(room int) (*prompts.Facts, error) {
	if c.of == nil || c.Size == 0 {
		return &prompts.Facts{}, nil
	}
	f, err := c.of.FactsOf(c.Offset, c.Size)
	if err != nil {
		return nil, fmt.Errorf("describing the child's text: %w", err)
	}
	return facts(f, c.Docs, nil, nil, c.of, c.Offset, room), nil
}

// childText returns the text of a call: a single range of the parent's context is used in place, anything else is
// copied into a new text.
func (s *subcall) childText(ctx context.Context) (childContext, error) {
	parts := s.call.Text
	parent := s.nb.cfg.Context
	if len(parts) == 0 {
		return childContext{}, nil
	}
	if len(parts) == 1 && parts[0].InContext {
		t := parts[0]
		return childContext{of: s.text, within: t.Offset, Context: sandbox.Context{
			File: parent.File, Offset: parent.Offset + t.Offset, Size: t.Size,
			Docs: within(parent.Docs, t.Offset, t.Size),
		}}, nil
	}
	var sources []corpus.Source
	for i, t := range parts {
		src := corpus.Source{Name: fmt.Sprintf("part %d", i+1)}
		if t.InContext {
			src.Reader, src.Plain = io.NewSectionReader(parent.File, parent.Offset+t.Offset, t.Size), true
		} else {
			src.Bytes = t.Bytes
		}
		sources = append(sources, src)
	}
	text, err := corpus.Build(ctx, sources)
	if err != nil {
		return childContext{}, fmt.Errorf("making the child's text: %w", err)
	}
	return childContext{Context: whole(text), of: text, own: true}, nil
}

// within returns the documents in a range, cut at its ends.
func within(docs []sandbox.DocRange, offset, size int64) []sandbox.DocRange {
	var out []sandbox.DocRange
	for _, d := range docs {
		from, to := max(d.Offset, offset), min(d.Offset+d.Size, offset+size)
		if from < to {
			out = append(out, sandbox.DocRange{
				Name: d.Name, Offset: from - offset, Size: to - from, Kind: d.Kind,
				Parts: d.Parts.Within(from-d.Offset, to-from), Notes: d.Notes,
			})
		}
	}
	return out
}

// begin creates the child run.
func (s *subcall) begin(path string, text childContext) (*run, error) {
	c := &run{
		tree: s.tree, path: path, depth: s.depth + 1, model: s.cfg.sub, call: s.cfg.SubCall,
		conv: &conversation{}, text: text.of,
	}
	if err := c.equip(termination.Response, false); err != nil {
		return nil, err
	}
	c.nb = newNotebook(s.cfg.sandbox(c.depth, text.Context, c.specs, s.workers, s.id, path))
	c.nb.past, c.nb.first = s.journal.Cells(path), text.Context
	c.nb.cfg.Engine = goingOn(c.nb.cfg.Engine, journal.Engine(s.past, path))
	c.nb.cfg.Marks = given(s.journal.Marks(path), func(hash string) *corpus.Text {
		if hash == path {
			return text.of
		}
		return s.textOf(hash)
	})
	return c, nil
}

// answerChild runs a child from its first message to its end. It also returns what the log says about the call.
func (s *subcall) answerChild(
	ctx context.Context, path, question string, text childContext,
) (d trajectory.SubCallEnded, end trajectory.RunEnded, err error) {
	c, err := s.begin(path, text)
	if err != nil {
		return d, end, err
	}
	defer func() { err = errors.Join(err, c.nb.close()) }()
	if len(journal.Of(s.past, path)) == 0 {
		s.shown.follow(path)
		defer s.shown.forget(path)
	}
	facts, err := text.facts(s.cfg.sampleRoom(c.depth))
	if err != nil {
		return d, end, err
	}
	if _, err := journal.Note(c.journal, path, 0, trajectory.RunStarted{
		Run: s.id, Number: s.number, Question: question, Mode: string(termination.Response), Model: c.model.Name(),
		SubModel: s.cfg.sub.Name(), Version: s.cfg.host.Version,
	}); err != nil {
		return d, end, err
	}
	recorded, err := text.record()
	if err != nil {
		return d, end, err
	}
	if _, err := journal.Note(c.journal, path, 0, recorded); err != nil {
		return d, end, err
	}
	recorded.Text = trajectory.Text{}
	if text.own && text.Size >= largeText {
		if err := c.journal.Settle(); err != nil {
			return d, end, err
		}
	}
	tidy(text.Size + int64(len(question)))
	if err := c.open(question, firstMessage{facts: facts, first: true}); err != nil {
		return d, end, err
	}
	tidy(int64(len(question)))
	if end, err = c.loop(ctx); err != nil {
		return d, end, err
	}
	d = trajectory.SubCallEnded{
		Model: s.cfg.sub.Name(), ErrorKind: end.ErrorKind, Blind: end.Guess || text.Size == 0 || c.invented(end),
	}
	if end.HasAnswer && end.CutReplies > 0 {
		d.FinishReason = trajectory.ChildIncomplete
	}
	return d, end, nil
}
