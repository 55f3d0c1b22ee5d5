package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/runner/trajectory"
)

// move switches the terminal to another session. The previous session is not changed.
func (t *terminal) move(ctx context.Context, p sessionHandle, say string, out sink) {
	t.attached = map[string]bool{}
	out.show(say)
	t.mu.Lock()
	old := t.at
	t.at, t.joined, t.state, t.lost, t.shown, t.past = p, t.told, session.State{}, nil, 0, sessionCells{}
	t.mu.Unlock()
	var news []trajectory.Event
	if p.where == inProcess {
		news = t.remember(p)
	}
	t.mu.Lock()
	t.leave()
	t.mu.Unlock()
	old.close()
	t.refresh(ctx)
	t.remind(news, out)
}

func (t *terminal) fork(ctx context.Context, in session.ForkRequest, out sink) error {
	if t.here().where == inTerminal {
		return errors.New("only the terminal that has the session open can copy it; /take-over opens it here")
	}
	key := client.NewKey()
	return t.begin(ctx, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
		fork, err := session.Do[session.Summary](
			ctx, at, session.Request{Command: "fork", Session: at.id, Key: key, Args: in})
		if err != nil {
			return session.Receipt{}, err
		}
		p := at
		if p.id, p.until = fork.ID, fork.Events; t.own != nil {
			if p, err = t.own.found(fork.ID); err != nil {
				return session.Receipt{}, err
			}
		}
		t.move(ctx, p, "this is now session "+fork.ID+", a copy", out)
		return session.Receipt{Session: fork.ID, State: fork.State}, nil
	})
}

func (t *terminal) open(ctx context.Context, id string, out sink) error {
	at := t.here()
	if id == "" {
		return errors.New("name the session: /open ID; /sessions lists them")
	}
	if strings.HasPrefix(at.id, id) {
		return errors.New("that is this session")
	}
	p := at
	if t.own != nil {
		var err error
		if p, err = t.own.enter(ctx, id); err != nil {
			return err
		}
	} else {
		s, err := session.Do[session.Summary](ctx, at, session.Request{Command: "session", Session: id})
		if err != nil {
			return err
		}
		p.id, p.until = s.ID, s.Events
	}
	t.move(ctx, p, "this is now session "+p.id, out)
	return nil
}

// sessionsShown is the number of sessions listed, newest first.
const sessionsShown = 20

func (t *terminal) sessions(ctx context.Context, _ string, out sink) error {
	list, err := session.Do[session.SessionPage](
		ctx, t.all(), session.Request{Command: "list", Args: session.ListRequest{Limit: sessionsShown}})
	if err != nil {
		return fmt.Errorf("listing the sessions: %w", err)
	}
	out.show(t.sessionList(list))
	return nil
}

// all returns the service of all sessions that can be opened.
func (t *terminal) all() session.Service {
	if t.own != nil {
		return t.own.service
	}
	return t.here().Service
}

// sessionList lists the newest sessions, one per line.
func (b *console) sessionList(list session.SessionPage) string {
	var lines []string
	for _, s := range list.Sessions {
		name := s.Question
		if s.Name != "" {
			name = s.Name + ": " + name
		}
		line := fmt.Sprintf("%s  %s  %-18s %s", s.ID, s.Started.Local().Format("2006-01-02 15:04"), s.Status,
			strings.Join(strings.Fields(name), " "))
		lines = append(lines, b.render.Line(line))
	}
	if more := list.Total - len(list.Sessions); more > 0 {
		lines = append(lines, fmt.Sprintf("… %d more: rlm ls", more))
	}
	return strings.Join(lines, "\n")
}

// sessionIDs returns the ids that /open accepts, newest first.
func (t *terminal) sessionIDs() []string {
	if t.own == nil {
		return t.look().known.sessions
	}
	all, err := trajectory.List(t.own.runner.RunsDir())
	if err != nil {
		return nil // completion then offers no sessions
	}
	var ids []string
	for _, s := range all {
		if s.ID != t.here().id {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (t *terminal) save(_ context.Context, _ string, out sink) error {
	text := t.goOn()
	if dir := t.here().dir; dir != "" {
		text = "saved as it happens in " + dir + "\n" + text
	}
	out.show(text)
	return nil
}

func (t *terminal) export(ctx context.Context, path string, out sink) error {
	at := t.here()
	return exported(path, out, func(w io.Writer, format string) error { return at.Export(ctx, at.id, format, w) })
}

// exported creates a file with write, in the format that the file's extension selects.
func exported(path string, out sink, write func(w io.Writer, format string) error) error {
	format := formats.Of(path)
	if format == "" {
		return errors.New("name a file that ends in .md (a transcript), .html (a page), .ipynb (a Jupyter notebook) or .jsonl (the log format of the original RLM): /export FILE.md")
	}
	file := expandHome(path)
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s already exists; name another file", path)
	}
	err := files.Output(file, func(w io.Writer) error { return write(w, format) })
	if err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	out.show("written to " + path)
	return nil
}
