package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// queued is a queue with one batch.
type queued struct {
	batch    api.Batch
	asked    []string
	breaks   bool                      // break off in the middle of the results
	watchers chan chan api.BatchChange // one channel per watcher
}

func (q *queued) List(_ context.Context, offset, limit int) (api.BatchList, error) {
	q.asked = append(q.asked, fmt.Sprint("list ", offset, " ", limit))
	return api.BatchList{Batches: []api.Batch{q.batch}, Total: 7}, nil
}

func (q *queued) Get(_ context.Context, id string) (api.Batch, error) {
	if id != q.batch.ID {
		return api.Batch{}, fmt.Errorf("%w: %q", api.ErrNoBatch, id)
	}
	return q.batch, nil
}

func (q *queued) Jobs(_ context.Context, id, state string, offset, limit int) (api.BatchJobs, error) {
	q.asked = append(q.asked, fmt.Sprint("jobs ", id, " ", state, " ", offset, " ", limit))
	return api.BatchJobs{Total: 3}, nil
}

func (q *queued) Results(_ context.Context, id, format string, begin func(string) io.Writer) error {
	if id != q.batch.ID {
		return api.ErrNoBatch
	}
	_, err := io.WriteString(begin("whole-id"), strings.Repeat("a result as "+format+"\n", 1000))
	if q.breaks {
		return errors.New("the disk is gone")
	}
	return err
}

func (q *queued) Cancel(ctx context.Context, id string) error {
	q.batch.State = "cancelled"
	_, err := q.Get(ctx, id)
	return err
}

func (q *queued) Retry(_ context.Context, _ string, jobs []string) (int, error) {
	q.asked = append(q.asked, fmt.Sprint("retry ", jobs))
	return 2, nil
}

func (q *queued) Bring(_ context.Context, run string) error {
	q.asked = append(q.asked, "bring "+run)
	return nil
}

func (q *queued) Changes(ctx context.Context) iter.Seq2[api.BatchChange, error] {
	return func(yield func(api.BatchChange, error) bool) {
		changed := make(chan api.BatchChange)
		q.watchers <- changed
		for {
			select {
			case c := <-changed:
				if !yield(c, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (q *queued) Close() error { return nil }

func withBatches(t *testing.T) (*site, *queued) {
	t.Helper()
	q := &queued{
		batch:    api.Batch{ID: "b1", Name: "contracts", State: "running", Jobs: 3},
		watchers: make(chan chan api.BatchChange),
	}
	return start(t, &talker{}, func(c *api.Config) { c.Batches = q }), q
}

func TestBatchesAreShownAndDoneWith(t *testing.T) {
	t.Parallel()
	s, q := withBatches(t)
	require.Equal(t, true, s.call("GET", "about", nil)["batches"])
	list := s.call("GET", "batches?offset=-3&limit=100000", nil)
	require.Equal(t, "contracts", list.list("batches")[0].text("name"))
	require.EqualValues(t, 7, list["total"])
	require.Equal(t, "b1", s.call("GET", "batches/b1", nil).text("id"))
	s.refused("not_found", "GET", "batches/other", nil)
	require.Equal(t, []any{}, s.call("GET", "batches/b1/jobs?state=dead&offset=20&limit=10", nil)["jobs"])
	require.Equal(t, "cancelled", s.call("POST", "batches/b1/cancel", nil).text("state"))
	require.EqualValues(t, 2, s.call("POST", "batches/b1/retry", object{"jobs": []string{"x", "y"}})["retried"])
	s.call("POST", "batches/b1/retry", nil)
	id := s.session()
	require.Equal(t, id, s.call("POST", "batches/b1/runs/"+id, nil).text("id"))
	require.Equal(t, []string{"list 0 500", "jobs b1 dead 20 10", "retry [x y]", "retry []", "bring " + id}, q.asked)
}

func TestResultsOfABatchAreAFile(t *testing.T) {
	t.Parallel()
	s, q := withBatches(t)
	get := func(path string) (*http.Response, string, error) {
		req, err := http.NewRequest(http.MethodGet, s.url+"api/v1/"+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return res, string(b), err
	}
	res, text, err := get("batches/b1/results?format=csv")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("a result as csv\n", 1000), text)
	require.Equal(t, `attachment; filename="whole-id.csv"`, res.Header.Get("Content-Disposition"))
	require.Equal(t, "application/octet-stream", res.Header.Get("Content-Type"))
	s.refused("bad_request", "GET", "batches/b1/results?format=html", nil)
	s.refused("not_found", "GET", "batches/other/results?format=jsonl", nil)

	q.breaks = true
	_, _, err = get("batches/b1/results?format=jsonl")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a file that is cut off does not look whole")
}

// Only the owner sees batches. For other users, and without a queue, the routes respond as if there were no
// batches.
func TestBatchesAreTheOwners(t *testing.T) {
	t.Parallel()
	s, _ := withBatches(t)
	without := start(t, &talker{})
	for _, who := range []*site{s.user("bob"), without} {
		require.Equal(t, false, who.call("GET", "about", nil)["batches"])
		for _, path := range []string{
			"batches", "batches/b1", "batches/b1/jobs", "batches/b1/results?format=csv", "events?batches=1",
		} {
			who.refused("not_found", "GET", path, nil)
		}
		for _, path := range []string{"batches/b1/cancel", "batches/b1/retry", "batches/b1/runs/x"} {
			who.refused("not_found", "POST", path, nil)
		}
	}
}

func TestChangesOfBatchesAreTold(t *testing.T) {
	t.Parallel()
	s, q := withBatches(t)
	st := s.follow("batches=1", "")
	stream := <-q.watchers
	w := s.socket()
	w.do(object{"do": "follow", "session": "*batches"})
	socket := <-q.watchers
	q.batch.Done = 2
	for _, reader := range []chan api.BatchChange{stream, socket} {
		reader <- api.BatchChange{Batch: q.batch}
		reader <- api.BatchChange{Batch: api.Batch{ID: "b1"}, Removed: true}
	}
	told := st.until(ofKind("batch_removed"))
	ordered, _ := w.until("*batches", ofKind("batch_removed"))
	for _, all := range [][]message{told, ordered} {
		removed, changed := all[len(all)-1], all[len(all)-2]
		require.Equal(t, []string{"*batches", "b1"}, []string{removed.session, removed.data().text("id")})
		require.Equal(t, []any{"batch", "*batches", 2.0},
			[]any{changed.kind(), changed.session, changed.data()["done"]})
	}
	w.do(object{"do": "unfollow", "session": "*batches"})
}
