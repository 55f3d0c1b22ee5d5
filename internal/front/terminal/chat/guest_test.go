package chat

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// hosted is a server with a session that a guest at a desk shares with another client.
type hosted struct {
	*desk
	other *client.Client
	mine  *client.Client // the guest's client
	id    string
	ctx   context.Context
	leave func() // ends the guest's screen, as the end of the program does
}

// serves runs a server with a session whose model answers question n with reply's text.
func serves(t *testing.T, reply func(ctx context.Context, n int) string) *hosted {
	t.Helper()
	d := &desk{t: t, msgs: make(chan tea.Msg, 100_000), folder: t.TempDir()}
	t.Chdir(d.folder)
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, n int) (llm.Response, error) {
		return llm.Response{Content: reply(ctx, n)}, ctx.Err()
	})
	dir := t.TempDir()
	r, err := runner.New(model, runner.WithDataDir(dir), host.Starter(starter), threeTools())
	require.NoError(t, err)
	s, err := api.New(api.Config{Runner: r, DataDir: dir, ModelName: "m"})
	require.NoError(t, err)
	require.NoError(t, s.Listen("127.0.0.1:0"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	h := &hosted{desk: d, ctx: ctx}
	h.other, err = client.New(s.URL(), s.Token())
	require.NoError(t, err)
	h.mine, err = client.New(s.URL(), s.Token())
	require.NoError(t, err)
	session, err := h.other.Create(ctx, client.NewKey())
	require.NoError(t, err)
	h.id = session.ID
	return h
}

// hosts serves a session, runs before on it, and then opens it at a guest's desk.
func hosts(t *testing.T, reply func(ctx context.Context, n int) string, before func(*hosted)) *hosted {
	t.Helper()
	h := serves(t, reply)
	if before != nil {
		before(h)
	}
	now, err := h.mine.Session(h.ctx, h.id)
	require.NoError(t, err)
	staying, leave := context.WithCancel(h.ctx)
	g := newJoined(staying, JoinTarget{
		Client: h.mine,
		Screen: Screen{Terminal: true, Width: 80, Height: 24, Builtins: documented}, Again: "rlm open",
	}, now)
	h.leave = func() {
		leave()
		require.NoError(t, g.close())
	}
	t.Cleanup(h.leave)
	d := h.desk
	d.history = &history{}
	d.m = newTUI(staying, g, d.history, Options{Screen: Screen{Width: 80, Height: 24}})
	d.m.send = func(msg tea.Msg) { d.msgs <- msg }
	d.m.put = func(piece string) tea.Cmd {
		d.pieces = append(d.pieces, piece)
		return func() tea.Msg { return printedMsg{} }
	}
	d.begins()
	return h
}

func (h *hosted) asks(question string) {
	h.t.Helper()
	_, err := h.other.Ask(h.ctx, h.id, client.NewKey(), question, session.Choice{})
	require.NoError(h.t, err)
}

// questions counts the questions of the session.
func (h *hosted) questions() int {
	h.t.Helper()
	s, err := h.other.Session(h.ctx, h.id)
	require.NoError(h.t, err)
	return s.Questions
}

// TestAGuestSeesOthersAndWaitsItsTurn: others' work is shown with their names; what is typed meanwhile is queued
// and sent when the session is free; looking at the notebook never waits.
func TestAGuestSeesOthersAndWaitsItsTurn(t *testing.T) {
	on := make(chan struct{})
	h := hosts(t, func(ctx context.Context, n int) string {
		if n == 0 {
			select {
			case <-on:
			case <-ctx.Done():
			}
			return inFence(`FINAL("the first answer")`)
		}
		return inFence(`FINAL("the second answer")`)
	}, func(h *hosted) { h.asks("asked by another") })
	h.sees("asked by another")
	h.sees("owner: ask")
	h.types("typed meanwhile")
	h.keys("enter")
	require.Contains(t, h.drawn(), "queued: typed meanwhile")
	h.types("/cells")
	h.keys("enter")
	h.sees("no cell has run yet")
	require.Equal(t, 1, h.questions())
	close(on)
	h.sees("the second answer")
	h.rests()
	require.Less(t, strings.Index(h.printed(), "the first answer"), strings.Index(h.printed(), "typed meanwhile"))
	require.Equal(t, 2, h.questions())
	h.asks("asked again by another")
	h.sees("asked again by another")
	h.until("hear of its end", func() bool { return strings.Count(h.printed(), "the second answer") == 2 })
}

// TestAGuestWorksInTheNotebook: a guest has cells, completion of variables and members, help for names, the list of
// cells, the history, files from the guest's machine, and settings.
func TestAGuestWorksInTheNotebook(t *testing.T) {
	h := hosts(t, func(context.Context, int) string { return inFence(`FINAL(len(docs))`) }, nil)
	h.line("> measured := strings.Repeat(\"ab\", 3)")
	require.Contains(t, h.printed(), "cell 1 (yours)")
	h.types("> measu")
	h.keys("tab")
	require.Equal(t, "> measured", strings.TrimSpace(h.input()))
	h.keys("ctrl+c")
	h.types("> strings.HasPre")
	h.keys("tab")
	h.until("complete a member", func() bool { return h.input() == "> strings.HasPrefix" })
	h.keys("ctrl+c")
	h.types("measured?")
	h.keys("enter")
	h.sees("set by cell 1")
	h.file("notes.txt", "a note\n")
	h.line("how many documents are in @notes.txt?")
	require.Contains(t, h.printed(), "Answer\n  1\n")
	require.Contains(t, h.drawn(), "1 document")
	h.forget()
	h.types("/show 1")
	h.keys("enter")
	h.sees("strings.Repeat")
	h.types("/mode task")
	h.keys("enter")
	h.sees("mode task from the next question on")
	h.rests()
	s, err := h.other.Settings(h.ctx, h.id)
	require.NoError(t, err)
	require.Equal(t, "task", s.Mode)
	h.keys("up", "up")
	require.Equal(t, "/show 1", h.input())
	h.keys("ctrl+c")
	h.types("/nothing")
	h.keys("enter")
	h.sees("there is no command /nothing")
	h.types("/mcp")
	h.keys("enter")
	h.sees("tickets: list, close\nfiles: read")
	h.forget()
	h.line("> undefined_name")
	require.Contains(t, h.printed(), "undefined")
}

// TestAGuestStopsWhatItBegan: Esc stops the guest's own question at the server; leaving stops no question.
func TestAGuestStopsWhatItBegan(t *testing.T) {
	on, asked := make(chan struct{}), make(chan int, 9)
	h := hosts(t, func(ctx context.Context, n int) string {
		asked <- n
		select {
		case <-on:
		case <-ctx.Done():
		}
		return inFence(`FINAL("it went on")`)
	}, nil)
	h.types("first")
	h.keys("enter")
	require.Equal(t, 0, <-asked)
	h.sees("waiting for the model")
	h.keys("esc")
	h.rests()
	require.Contains(t, h.printed(), "/retry continues where it broke off")
	h.types("second")
	h.keys("enter")
	require.Equal(t, 1, <-asked)
	h.sees("waiting for the model")
	h.keys("ctrl+d")
	h.until("leave", func() bool { return h.left })
	h.leave()
	close(on)
	for ev, err := range h.other.Events(h.ctx, h.id, session.EventOptions{}) {
		require.NoError(t, err)
		if ev.State != nil && ev.State.Doing == "" {
			break
		}
	}
	s, err := h.other.Session(h.ctx, h.id)
	require.NoError(t, err)
	require.Equal(t, "it went on", s.Answer)
}
