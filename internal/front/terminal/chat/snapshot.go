package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// snapshot is the state of the session when it was last idle, so that the screen need not wait for a busy session.
type snapshot struct {
	known     vocabulary
	vars      []session.Variable
	totals    session.Totals
	model     string
	noModel   string // why no question can be asked
	level     string
	mode      termination.Mode
	documents int
	text      string // a short description of the context
}

// lookTime bounds the time of a refresh.
const lookTime = 20 * time.Second

// refresh takes a new snapshot of the session. Code that changes the session calls it once, at the end.
func (t *terminal) refresh(ctx context.Context) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errStopped) {
		return // the person is leaving
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	settings, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		if !errors.Is(err, errLost) { // the person has been told about errLost
			t.warn(err)
		}
		return
	}
	vars, err := do[session.Variables](ctx, t, "variables", nil)
	if err != nil {
		t.warn(err)
	}
	docs, err := do[session.Documents](ctx, t, "documents", session.DocumentsRequest{})
	if err != nil {
		t.warn(err)
	}
	now := snapshot{
		vars: vars.Variables, totals: settings.Totals, model: settings.Model, noModel: settings.NoModel,
		level: settings.Level,
		mode:  termination.Mode(settings.Mode), documents: docs.Total, text: documentsText(docs),
	}
	if now.noModel != "" {
		now.model = "no model"
	}
	for _, d := range docs.Documents {
		now.known.docs = append(now.known.docs, d.Name)
	}
	if t.own == nil {
		list, err := do[session.SessionPage](ctx, t, "list", session.ListRequest{Limit: completionMost})
		if err != nil {
			t.warn(err)
		}
		for _, s := range list.Sessions {
			if s.ID != t.here().id {
				now.known.sessions = append(now.known.sessions, s.ID)
			}
		}
	}
	t.keep(now)
}

// keep stores a snapshot, and adds the names of the notebook's functions for completion.
func (b *console) keep(now snapshot) {
	now.known.builtins = append(now.known.builtins, hostVars...)
	now.known.builtins = append(now.known.builtins, slices.Sorted(maps.Keys(b.builtins(now.mode)))...)
	for _, v := range now.vars {
		now.known.vars = append(now.known.vars, v.Name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = now
}

// learn adds the variables that a cell has just set, so that completion offers them as soon as the cell is shown.
func (b *console) learn(d trajectory.CellEnded) {
	result, err := d.Decode()
	if err != nil {
		return // an older log; the next refresh finds the variables
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range result.Changed {
		now := session.Variable{Name: v.Name, Type: v.Type, Size: v.Size, Preview: v.Preview, Cell: v.Cell}
		if i := slices.Index(b.seen.known.vars, v.Name); i >= 0 {
			b.seen.vars[i] = now
			continue
		}
		b.seen.vars = append(b.seen.vars, now)
		b.seen.known.vars = append(b.seen.known.vars, v.Name)
	}
}

func (b *console) look() snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.seen
	now.vars, now.known.vars = slices.Clone(now.vars), slices.Clone(now.known.vars)
	return now
}

// status returns the line below the input. Its last parts may be cut off on a narrow screen.
func (b *console) status() string {
	now := b.look()
	parts := []string{now.model}
	if now.mode != termination.Response {
		parts = append(parts, "mode "+string(now.mode))
	}
	return strings.Join(append(parts, now.text, spent(now.totals), "sandbox "+now.level), " · ")
}

// documentsText describes a context briefly, including the number of files that have changed since they were read.
func documentsText(docs session.Documents) string {
	if docs.Total == 0 {
		return "no context"
	}
	text := units.Of(docs.Total-docs.Gone, "document") + ", " + units.Bytes(docs.Bytes)
	if docs.Changed > 0 {
		text += fmt.Sprintf(" (%d changed on disk: /docs)", docs.Changed)
	}
	return text
}

func spent(t session.Totals) string {
	var p progress.Progress
	for _, u := range t.Usage {
		p.Use(u)
	}
	return p.Spent()
}
