package main

import (
	"os/exec"
	"testing"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// TestOpenSharesASessionOfAServer: a session that a server has open appears as the same full screen in a
// terminal, and both clients see what the other does; the server keeps it when the terminal leaves.
func TestOpenSharesASessionOfAServer(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Says(goCell("FINAL(\"asked elsewhere\")"), goCell("FINAL(theirs + mine)"))...)
	defer s.Close()
	dir := t.TempDir()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	serve := exec.Command(bin, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	serve.Dir, serve.Env = dir, terminalEnv(s, dir)
	at := startServing(t, serve)
	other, err := client.New(at.URL, at.Token)
	require.NoError(t, err)
	begun, err := other.Create(t.Context(), client.NewKey())
	require.NoError(t, err)
	_, err = other.Cell(t.Context(), begun.ID, client.NewKey(), "theirs := 40")
	require.NoError(t, err)

	term := newTerminal(t, s, dir, "open", begun.ID)
	term.sees("shared with everyone in it")
	term.sees("theirs := 40")
	term.line("> mine := theirs / 20")
	term.sees("✓ cell 2")
	term.idle()
	term.text("> min")
	term.keys("Tab")
	term.text("x") // a blank at the end of the line may not be drawn
	term.sees("> mine x")
	term.keys("C-c")
	_, err = other.Ask(t.Context(), begun.ID, client.NewKey(), "a question from elsewhere", session.Choice{})
	require.NoError(t, err)
	term.sees("a question from elsewhere")
	term.sees("asked elsewhere")
	term.idle()
	term.line("what is the sum?")
	term.sees("Answer\n  42")
	term.idle()
	term.line("/quit")
	now, err := other.Session(t.Context(), begun.ID)
	require.NoError(t, err)
	require.Equal(t, "42", now.Answer)
	require.Equal(t, 2, now.Questions)
	require.True(t, now.State.Open)
}
