package api_test

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestDiskOfAGuest: what a user adds to another's shared session counts for that user, and not for its owner.
func TestDiskOfAGuest(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	ann, bob := s.user("ann", api.Limits{Disk: 300_000}), s.user("bob", api.Limits{Disk: 300_000})
	for _, host := range []*site{s, ann} {
		id := host.session()
		host.call("PATCH", "sessions/"+id, object{"shared": true})
		status, out, _ := bob.uploads(id, map[string]string{"b.txt": noise(200_000)})
		require.Equal(t, 202, status, out)
		bob.settled(id)
		for _, at := range []string{id, bob.session()} {
			status, out, _ = bob.uploads(at, map[string]string{"c.txt": noise(200_000)})
			require.Equal(t, 413, status, out)
		}
		status, out, _ = host.uploads(host.session(), map[string]string{"a.txt": noise(200_000)})
		require.Equal(t, 202, status, out)
		host.call("DELETE", "sessions/"+id, nil)
	}
	status, out, _ := bob.uploads(bob.session(), map[string]string{"c.txt": noise(200_000)})
	require.Equal(t, 202, status, out)
}

// TestDiskOfRequestsAtOnce: requests that arrive at the same time do not all get the same rest of a quota, and neither
// does a body of unknown length, or a text that is part of a request.
func TestDiskOfRequestsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob", api.Limits{Disk: 600_000})
	chunked := func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(r.Body), -1 }
	id := bob.session()
	status, out, _ := bob.uploads(id, map[string]string{"a.txt": noise(700_000)}, chunked)
	require.Equal(t, 413, status, out)
	status, out, _ = bob.send("POST", "api/v1/sessions/"+id+"/documents",
		object{"texts": []object{{"name": "a.txt", "text": noise(700_000)}}})
	require.Equal(t, 413, status, out)
	status, out, _ = bob.send("POST", "api/v1/sessions",
		object{"texts": []object{{"name": "a.txt", "text": noise(700_000)}}})
	require.Equal(t, 413, status, out)
	var taken atomic.Int64
	var all sync.WaitGroup
	var sessions []string
	for range 8 {
		sessions = append(sessions, bob.session())
	}
	for _, at := range sessions {
		all.Go(func() {
			if status, _, _ := bob.uploads(at, map[string]string{"a.txt": noise(400_000)}, chunked); status == 202 {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, taken.Load(), int64(1))
}
