package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/stretchr/testify/require"
)

// TestASecondTerminalFollows: a terminal that opens another one's session sees its past and what happens, asks
// when the session is free, adds files of its own folder, and its work is seen by the other.
func TestASecondTerminalFollows(t *testing.T) {
	on := make(chan struct{})
	first := sitDown(t, func(r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Last(), "wait") {
			<-on
		}
		return fakeapi.Reply{Content: inFence(`FINAL(fmt.Sprint("there are ", len(docs)))`)}
	})
	first.line("> mine := 40")
	second := first.beside()
	second.sees("in another terminal; /take-over opens it here")
	second.sees("mine := 40")
	second.line("> mine + 2")
	require.Contains(t, second.printed(), "= 42")
	first.sees("= 42")
	first.until("see that the session is free", func() bool { return first.m.shared.others == "" })

	first.types("wait for me")
	first.keys("enter")
	second.sees("another terminal: ask")
	second.types("/take-over")
	second.keys("enter")
	second.sees(`the session is busy: another terminal began "ask"`)
	second.types("and @notes.txt?")
	second.file("notes.txt", "a note\n")
	second.keys("enter")
	require.Contains(t, second.drawn(), "queued: and @notes.txt?")
	close(on)
	second.sees("there are 1")
	second.rests()
	require.Contains(t, second.printed(), "added 1; the context is now 1 document, 7 bytes")
	first.sees("and @notes.txt?")
	first.sees("there are 1")
	require.Equal(t, 2, first.asked())
	docs, err := do[session.Documents](t.Context(), second.m.core, "documents", session.DocumentsRequest{})
	require.NoError(t, err)
	require.Equal(t, "notes.txt", docs.Documents[0].Name)
	require.Equal(t, filepath.Join(second.folder, "notes.txt"), docs.Documents[0].Path, "it is read where it is")
	second.line("/fork")
	require.Contains(t, second.printed(), "/take-over opens it here")
}

// TestASessionIsTakenOver: the terminal that takes a session over has it open with everything in it; the other one
// follows, can take it back, and continues if the first one is gone.
func TestASessionIsTakenOver(t *testing.T) {
	first := sitDown(t, nil)
	first.line("/take-over")
	require.Contains(t, first.printed(), "this terminal already has the session open")
	first.line("> kept := 41")
	second := first.beside()
	second.sees("kept := 41")
	second.line("/take-over")
	require.Contains(t, second.printed(), "this terminal now has the session open")
	first.sees("this one follows it")
	require.Equal(t, inProcess, second.m.core.here().where)

	first.line("> kept + 1")
	require.Contains(t, first.printed(), "= 42")
	second.sees("= 42")
	second.line("a question") // it waits for the end of the cell, if that is not known there yet
	second.sees("an answer")
	first.sees("an answer")
	require.Equal(t, inTerminal, first.m.core.here().where)

	second.leaves()
	first.sees("the terminal that had the session open is gone")
	first.line("a question to nobody")
	require.Equal(t, "a question to nobody", first.input(), "to be sent later")
	first.m.area.Reset()
	first.forget()
	first.line("/take-over")
	require.Contains(t, first.printed(), "this terminal now has the session open")
	first.line("> kept + 2")
	require.Contains(t, first.printed(), "= 43")
	first.line("/cells")
	require.Equal(t, 1, strings.Count(first.printed(), "kept := 41"))
	first.line("/fork")
	require.Contains(t, first.printed(), ", a copy")
}

// TestASessionThatCannotBeShared: the session is reported as in use. Here a folder is in the place of its socket.
func TestASessionThatCannotBeShared(t *testing.T) {
	first := sitDown(t, nil)
	at := first.m.core.here()
	first.leaves()
	require.NoError(t, os.MkdirAll(filepath.Join(session.SocketOf(at.dir), "in the way"), 0o700))
	again := first.beside()
	require.Equal(t, inProcess, again.m.core.here().where)
	r, err := runner.New(llm.ScriptedFunc("m", nil), runner.WithDataDir(first.data))
	require.NoError(t, err)
	_, err = newOpened(t.Context(), Options{Runner: r, Open: at.id, Share: api.Share})
	var locked *trajectory.LockedError
	require.ErrorAs(t, err, &locked)
	require.ErrorContains(t, err, "is in use by process")
}

// TestASharedSessionIsOnesOwn: other users of this machine cannot use the socket, which is removed with the
// terminal.
func TestASharedSessionIsOnesOwn(t *testing.T) {
	first := sitDown(t, nil)
	socket := session.SocketOf(first.m.core.here().dir)
	info, err := os.Stat(socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	first.leaves()
	require.NoFileExists(t, socket)
}
