package chat

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/stretchr/testify/require"
)

// now returns the guest's current session, as the server knows it.
func (h *hosted) now() session.Summary {
	h.t.Helper()
	_, id, ok := strings.Cut(h.m.core.goOn(), "rlm open ")
	require.True(h.t, ok)
	s, err := h.other.Session(h.ctx, id)
	require.NoError(h.t, err)
	return s
}

// TestAGuestGoesOnInACopy: after /fork the guest works in the copy and no longer sees the original; /open returns
// to it, and completes its ids.
func TestAGuestGoesOnInACopy(t *testing.T) {
	h := hosts(t, func(_ context.Context, n int) string {
		return inFence([]string{
			`FINAL("the first answer")`, `FINAL("an answer in the copy")`,
			`FINAL("an answer to the other")`, `FINAL("back again")`,
		}[n])
	}, nil)
	h.line("> start := 1")
	h.line("the first question")
	h.line("/fork")
	fork := h.now()
	require.NotEqual(t, h.id, fork.ID)
	require.Contains(t, h.printed(), "this is now session "+fork.ID+", a copy")
	h.forget()
	h.line("> start + 41")
	require.Contains(t, h.printed(), "42")
	h.line("asked in the copy")
	require.Contains(t, h.printed(), "an answer in the copy")
	require.Equal(t, 2, h.now().Questions)
	require.Equal(t, 1, h.questions())

	h.asks("asked where it came from")
	for ev, err := range h.other.Events(h.ctx, h.id, session.EventOptions{}) {
		require.NoError(t, err)
		if ev.State != nil && ev.State.Doing == "" {
			break
		}
	}
	require.NotContains(t, h.printed(), "an answer to the other")
	h.types("/open ")
	h.keys("tab")
	require.Equal(t, "/open "+h.id, strings.TrimSpace(h.input()))
	h.keys("enter")
	h.sees("this is now session " + h.id)
	h.sees("asked where it came from")
	h.sees("an answer to the other")
	h.rests()
	h.line("and here")
	require.Contains(t, h.printed(), "back again")
	require.Equal(t, 3, h.questions())
	h.line("/open " + h.id[:8])
	require.Contains(t, h.printed(), "that is this session")
	h.line("/open nothing")
	require.Contains(t, h.printed(), "error: ")
	require.Equal(t, h.id, h.now().ID)
}

// TestAGuestForksAtATurn: the copy ends after the turn and can continue, and the guest can stop it.
func TestAGuestForksAtATurn(t *testing.T) {
	on := make(chan struct{})
	h := hosts(t, func(ctx context.Context, n int) string {
		switch n {
		case 0:
			return inFence(`seen := "by both"`)
		case 1:
			return inFence(`FINAL("one way")`)
		}
		select {
		case <-on:
		case <-ctx.Done():
		}
		return inFence(`FINAL("the other way, seen " + seen)`)
	}, nil)
	h.line("which way?")
	require.Contains(t, h.printed(), "one way")
	h.line("/fork somewhere")
	require.Contains(t, h.printed(), "give the last turn of the last question to keep")
	require.Equal(t, h.id, h.now().ID)
	h.forget()
	h.types("/fork 1")
	h.keys("enter")
	h.sees("waiting for the model")
	require.True(t, h.m.busy)
	close(on)
	h.sees("the other way, seen by both")
	h.rests()
	require.Equal(t, 1, strings.Count(h.printed(), "the other way, seen by both"))
	require.Equal(t, 1, h.now().Questions)
	require.NotEqual(t, h.id, h.now().ID)
	h.types("/fork 1")
	h.keys("enter")
	h.rests()
	require.Equal(t, 2, strings.Count(h.printed(), "the other way, seen by both"))
}

// TestAGuestExports: the file is created on the guest's machine, in the format of its extension, with the server's
// content.
func TestAGuestExports(t *testing.T) {
	h := hosts(t, func(context.Context, int) string { return inFence(`FINAL("what is exported")`) }, nil)
	h.line("what is it?")
	for format := range formats.All() {
		name := "session" + formats.Ending(format)
		h.forget()
		h.types("/export " + name)
		h.keys("enter")
		h.sees("written to " + name)
		got, err := os.ReadFile(filepath.Join(h.folder, name))
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, h.other.Export(h.ctx, h.id, format, &want))
		require.Equal(t, want.String(), string(got))
		require.Contains(t, string(got), "what is exported")
	}
	h.forget()
	h.types("/export session.md")
	h.keys("enter")
	h.sees("session.md already exists; name another file")
	h.types("/export session.doc")
	h.keys("enter")
	h.sees("name a file that ends in .md")
}
