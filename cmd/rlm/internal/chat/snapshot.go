package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// snapshot is what a session was like the last time nothing ran: a session that is busy cannot be asked, and the
// screen never waits for it.
type snapshot struct {
	known  words
	vars   []repl.Var
	totals runner.Totals
	model  string
	level  string
	mode   termination.Mode
	text   string // of the context, in a few words
}

// refresh takes a new snapshot of the session. Code that changes the session calls it once, at the end.
func (c *core) refresh(ctx context.Context) {
	s := c.current()
	vars, err := s.Vars(context.WithoutCancel(ctx))
	if err != nil {
		c.warn(err)
	}
	now := snapshot{vars: vars, totals: s.Totals(), model: s.Model().Name(), level: string(s.Level()), mode: s.Mode(), text: contextText(s)}
	if c.modelMissing() != nil {
		now.model = "no model"
	}
	for _, d := range s.Documents() {
		now.known.docs = append(now.known.docs, d.Name)
	}
	c.keep(now)
}

// keep takes over a snapshot, and the names that completion knows from it.
func (b *board) keep(now snapshot) {
	now.known.builtins = append(now.known.builtins, hostVars...)
	for _, f := range builtins.Standard(now.mode, 0) {
		now.known.builtins = append(now.known.builtins, f.Name)
	}
	for _, v := range now.vars {
		now.known.vars = append(now.known.vars, v.Name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = now
}

// learn takes over what a cell that just ended has set: completion knows it as soon as it is on the screen.
func (b *board) learn(d trajectory.CellEnded) {
	var result repl.Result
	if json.Unmarshal(d.Result, &result) != nil {
		return // an older log; what is there is known at the next look
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range result.Changed {
		if i := slices.Index(b.seen.known.vars, v.Name); i >= 0 {
			b.seen.vars[i] = v
			continue
		}
		b.seen.vars = append(b.seen.vars, v)
		b.seen.known.vars = append(b.seen.known.vars, v.Name)
	}
}

func (b *board) look() snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.seen
	now.vars, now.known.vars = slices.Clone(now.vars), slices.Clone(now.known.vars)
	return now
}

// status is the line below the input. What a narrow screen cuts off comes last.
func (b *board) status() string {
	now := b.look()
	parts := []string{now.model}
	if now.mode != termination.Response {
		parts = append(parts, "mode "+string(now.mode))
	}
	return strings.Join(append(parts, now.text, spent(now.totals), "sandbox "+now.level), " · ")
}

// contextText is the context in a few words, and whether files changed since it was read.
func contextText(s *runner.Session) string { return documentsText(s.Documents()) }

func documentsText(docs []runner.Document) string {
	if len(docs) == 0 {
		return "no context"
	}
	var size int64
	there, changed := 0, 0
	for _, d := range docs {
		if d.State != runner.DocumentSame {
			changed++
		}
		if d.State != runner.DocumentGone || d.Size > 0 {
			there++
		}
		size += d.Size
	}
	text := quantity.Of(there, "document") + ", " + quantity.Bytes(size)
	if changed > 0 {
		text += fmt.Sprintf(" (%d changed on disk: /docs)", changed)
	}
	return text
}

func spent(t runner.Totals) string {
	p := progress.Progress{Cost: t.Cost}
	for model, u := range t.Usage {
		p.Prompt += u.Prompt
		p.Completion += u.Completion
		if u.Cost == nil {
			p.Unpriced = append(p.Unpriced, model)
		}
	}
	return p.Spent()
}
