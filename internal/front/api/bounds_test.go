package api_test

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestCellsOfAUserAtOnceAreBounded: further cells wait, which clients can see; the owner's and other users' cells
// do not wait for them.
func TestCellsOfAUserAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob", api.Limits{Cells: 1})
	require.EqualValues(t, 1, bob.call("GET", "about", nil).at("limits")["cells"])
	first, second := bob.session(), bob.session()
	running := bob.follow("session="+first+":0", "")
	bob.call("POST", "sessions/"+first+"/cells", object{"source": "for { time.Sleep(time.Millisecond) }"})
	running.until(ofKind("cell_started"))
	waiting := bob.follow("session="+second+":0", "")
	bob.call("POST", "sessions/"+second+"/cells", object{"source": "n := 1"})
	waiting.until(func(m message) bool {
		ahead, waits := m.data()["ahead"]
		return m.kind() == "state" && waits && ahead == 0.0
	})
	for _, other := range []*site{s, s.user("ada")} {
		other.do(other.session(), "cells", object{"source": "n := 1"})
	}
	replay := func(as *site, id string, within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", s.url+"api/v1/sessions/"+id+"/replay", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+as.token)
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			require.Equal(t, 200, res.StatusCode)
			require.NoError(t, res.Body.Close())
		}
		return err
	}
	require.ErrorIs(t, replay(bob, first, time.Second), context.DeadlineExceeded, "a replay is cells, too")
	require.NoError(t, replay(s, first, time.Minute))
	bob.call("POST", "sessions/"+first+"/stop", object{})
	waiting.until(free)
	require.Equal(t, "1", bob.values(second)["n"])
	require.NoError(t, replay(bob, second, time.Minute))
}

// noise returns text that barely compresses.
func noise(size int) string {
	b := make([]byte, size/2)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // never fails
	return hex.EncodeToString(b)
}

// TestDiskOfAUserIsBounded: with a full quota, uploads, files and new sessions are refused until something is
// deleted.
func TestDiskOfAUserIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob", api.Limits{Disk: 300_000})
	id := bob.session()
	status, out, _ := bob.uploads(id, map[string]string{"a.txt": noise(400_000)})
	require.Equal(t, 413, status, out)
	require.Contains(t, out.at("error").text("message"), "delete some")
	status, _, _ = bob.uploads(id, map[string]string{"a.txt": noise(200_000)})
	require.Equal(t, 202, status)
	bob.settled(id)
	status, out, _ = bob.uploads(id, map[string]string{"b.txt": noise(200_000)})
	require.Equal(t, 413, status, out)
	bob.call("DELETE", "sessions/"+id, nil)
	status, _, _ = bob.uploads(bob.session(), map[string]string{"b.txt": noise(200_000)})
	require.Equal(t, 202, status)
}

// TestAFileThatTheServerWasStartedWith: a request can name such a file, but no other file in its folder.
func TestAFileThatTheServerWasStartedWith(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	named, other := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for _, path := range []string{named, other} {
		require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	}
	s := start(t, &talker{}, func(cfg *api.Config) { cfg.Files = []string{named} })
	id := s.call("POST", "sessions", object{"paths": []string{named}}).text("id")
	require.Contains(t, s.call("GET", "sessions/"+id+"/text", nil).text("text"), "text")
	s.refused("path", "POST", "sessions", object{"paths": []string{other}})
}
