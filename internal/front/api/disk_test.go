package api_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
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

// TestDiskOfABodyThatEndsLate: all of a body of unknown length counts, also what came in before anybody knew that it
// was the end.
func TestDiskOfABodyThatEndsLate(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob", api.Limits{Disk: 100_000})
	endsLate := func(r *http.Request) {
		r.ContentLength = -1
		behind := strings.NewReader(strings.Repeat(" ", 16<<10)) // so that the form is sent before the body ends
		r.Body = io.NopCloser(io.MultiReader(r.Body, behind, &late{func() { s.send("GET", "api/v1/about", nil) }}))
	}
	status, out, _ := bob.uploads(bob.session(), map[string]string{"a.txt": noise(200_000)}, endsLate)
	require.Equal(t, 413, status, out)
	for size, want := range map[int]int{200_000: 413, 60_000: 200} {
		body, kind := formOf(t, noise(size))
		status, out, _ = bob.send("POST", "v1/files", nil, func(r *http.Request) {
			r.Body = io.NopCloser(body)
			r.Header.Set("Content-Type", kind)
		}, endsLate)
		require.Equal(t, want, status, out)
	}
}

// formOf returns a form with a file, and its media type.
func formOf(t *testing.T, text string) (*bytes.Buffer, string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	w, err := form.CreateFormFile("file", "a.txt")
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, form.WriteField("purpose", "user_data"))
	require.NoError(t, form.Close())
	return &b, form.FormDataContentType()
}

// late is a reader that ends after something was done.
type late struct{ before func() }

func (l *late) Read([]byte) (int, error) {
	l.before()
	return 0, io.EOF
}
