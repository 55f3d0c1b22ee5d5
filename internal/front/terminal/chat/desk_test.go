package chat

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/stretchr/testify/require"
)

// starter serves all sessions: a spare worker that one leaves behind is used by the next.
var starter = sandbox.NewStarter()

// desk is a session on a terminal without the terminal: keys are messages, and what is printed and drawn is text.
type desk struct {
	t       *testing.T
	m       *tui
	server  *fakeapi.Server
	msgs    chan tea.Msg
	pieces  []string
	checked int // number of pieces whose size was checked
	left    bool
	runner  *runner.Runner
	folder  string // the session's working folder
	history *history
	data    string // folder of the sessions
	leaves  func() // closes the terminal as if its process had exited
}

// sitDown opens a session in a new folder, behind an endpoint that answers with the given function.
func sitDown(t *testing.T, reply func(fakeapi.Request) fakeapi.Reply, change ...func(*Options)) *desk {
	t.Helper()
	d := &desk{t: t, msgs: make(chan tea.Msg, 100_000), folder: t.TempDir()}
	t.Chdir(d.folder)
	if reply == nil {
		reply = func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: inFence(`FINAL("an answer")`)} }
	}
	d.server = fakeapi.StartFunc(reply)
	t.Cleanup(d.server.Close)
	model, err := llm.New(llm.Config{Model: "root", BaseURL: d.server.URL(), APIKey: llm.NewSecret("key"), Tries: 1})
	require.NoError(t, err)
	d.data = t.TempDir()
	d.sits(model, change...)
	return d
}

// beside opens another terminal on a desk's session, with the same data folder.
func (d *desk) beside() *desk {
	d.t.Helper()
	other := &desk{t: d.t, msgs: make(chan tea.Msg, 100_000), folder: d.folder, data: d.data, server: d.server}
	model, err := llm.New(llm.Config{Model: "root", BaseURL: d.server.URL(), APIKey: llm.NewSecret("key"), Tries: 1})
	require.NoError(d.t, err)
	other.sits(model, func(o *Options) { o.Open = d.m.core.here().id })
	return other
}

// sits opens the session.
func (d *desk) sits(model llm.Model, change ...func(*Options)) {
	d.t.Helper()
	var err error
	d.runner, err = runner.New(model, runner.WithDataDir(d.data), host.Starter(starter))
	require.NoError(d.t, err)
	opt := Options{
		Runner: d.runner, Share: api.Share,
		Screen: Screen{Terminal: true, Width: 80, Height: 24, Builtins: documented},
	}
	for _, f := range change {
		f(&opt)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c, err := newOpened(ctx, opt)
	require.NoError(d.t, err)
	d.history = &history{}
	d.m = newTUI(ctx, c, d.history, opt)
	d.m.send = func(msg tea.Msg) { d.msgs <- msg }
	d.m.put = func(piece string) tea.Cmd {
		d.pieces = append(d.pieces, piece)
		return func() tea.Msg { return printedMsg{} }
	}
	d.leaves = sync.OnceFunc(func() {
		cancel()
		require.NoError(d.t, c.close())
	})
	d.t.Cleanup(d.leaves)
	d.begins()
}

// begins prints the greeting, then draws.
func (d *desk) begins() {
	d.pieces = append(d.pieces, d.m.greet())
	d.checked = len(d.pieces)
	d.run(d.m.Init())
}

func inFence(code string) string { return "```go\n" + code + "\n```" }

// run executes a command as the terminal library does.
func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			d.msgs <- msg
		}
	}()
}

func (d *desk) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
	case tea.QuitMsg:
		d.left = true
	default:
		_, cmd := d.m.Update(msg)
		d.run(cmd)
		d.fits()
	}
}

// fits checks that neither the drawing nor the last printed piece is larger than the screen.
func (d *desk) fits() {
	d.t.Helper()
	drawn := strings.Split(d.m.View().Content, "\n")
	require.LessOrEqual(d.t, len(drawn), d.m.frameMost(), "drawn:\n%s", strings.Join(drawn, "\n"))
	for ; d.checked < len(d.pieces); d.checked++ {
		lines := strings.Split(d.pieces[d.checked], "\n")
		require.LessOrEqual(d.t, len(lines)+d.m.frameMost(), d.m.height)
		for _, line := range lines {
			require.Less(d.t, ansi.StringWidth(line), d.m.width, "%q", line)
		}
	}
}

// forget drops what was printed so far.
func (d *desk) forget() { d.pieces, d.checked = nil, 0 }

func (d *desk) until(what string, ok func() bool) {
	d.t.Helper()
	for end := time.After(2 * time.Minute); !ok(); {
		select {
		case msg := <-d.msgs:
			d.take(msg)
		case <-end:
			require.Fail(d.t, "it did not "+what, "%s\n%s", d.printed(), d.drawn())
		}
	}
}

// sees waits until something is printed or drawn.
func (d *desk) sees(text string) {
	d.t.Helper()
	d.until("show "+text, func() bool {
		return strings.Contains(d.printed(), text) || strings.Contains(d.drawn(), text)
	})
}

// rests waits until nothing runs and everything is printed.
func (d *desk) rests() {
	d.t.Helper()
	d.until("come to rest", func() bool { return !d.m.busy && d.m.looking == 0 && !d.m.printing && d.m.out.Empty() })
}

func (d *desk) printed() string { return strings.Join(d.pieces, "\n") }

func (d *desk) drawn() string { return ansi.Strip(d.m.View().Content) }

// keys presses keys by name: enter, esc, tab, ctrl+r, backspace.
func (d *desk) keys(names ...string) {
	d.t.Helper()
	named := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp},
		"down":      {Code: tea.KeyDown},
		"backspace": {Code: tea.KeyBackspace}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
	}
	for _, name := range names {
		key, ok := named[name]
		if letter, control := strings.CutPrefix(name, "ctrl+"); control {
			key, ok = tea.Key{Code: rune(letter[0]), Mod: tea.ModCtrl}, true
		}
		require.True(d.t, ok, name)
		d.take(tea.KeyPressMsg(key))
	}
}

func (d *desk) types(text string) {
	for _, r := range text {
		d.take(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// line types a line, sends it and waits until it is done.
func (d *desk) line(text string) {
	d.t.Helper()
	d.types(text)
	d.keys("enter")
	d.rests()
}

func (d *desk) input() string { return d.m.area.Value() }

func (d *desk) file(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.folder, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o600))
}

// asked counts the questions that reached the model.
func (d *desk) asked() int { return len(d.server.Requests()) }

// session returns the settings and documents of the current session.
func (d *desk) session() (settings session.Settings, docs session.Documents) {
	d.t.Helper()
	settings, err := do[session.Settings](d.t.Context(), d.m.core, "settings", nil)
	require.NoError(d.t, err)
	docs, err = do[session.Documents](d.t.Context(), d.m.core, "documents", session.DocumentsRequest{})
	require.NoError(d.t, err)
	return settings, docs
}

// documented returns the documentation of builtins as the command provides it.
func documented(mode termination.Mode) map[string]string {
	docs, all := map[string]string{}, builtins.Standard(mode, 0)
	for _, f := range all {
		docs[f.Name] = ""
	}
	for _, f := range builtins.Docs(all) {
		docs[f.Name] = f.Text
	}
	return docs
}
