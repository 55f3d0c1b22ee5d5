package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/runner/trajectory"
)

// fetchedFile marks the folder of a fetched run; it contains the number of events that the run had when fetched.
const fetchedFile = "fetched"

// Fetch copies a run from a shared queue to a data folder, as an ordinary log. With contexts, the contexts of the
// run are copied too, so that the copy can be resumed and forked; the run itself does not change. An existing copy
// is updated, unless it was used for something else. The error is a *trajectory.NotFoundError if there is no such
// run.
func Fetch(ctx context.Context, q *Queue, id, dataDir string, contexts bool) error {
	runs := trajectory.RunsDir(dataDir)
	if !isWord(id) || !q.conn.Remote {
		return &trajectory.NotFoundError{Typed: id, Dir: "the queue"}
	}
	dir := filepath.Join(runs, id)
	if there(dir) && !isCopy(dir) {
		return nil
	}
	info, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.StreamInfo, error) {
		return q.runs.Info(ctx, jetstream.WithSubjectFilter(runsSubject+"*."+id))
	})
	if err != nil {
		return fmt.Errorf("find run %s: %w", id, q.why(err))
	}
	for subject := range info.State.Subjects {
		batch := strings.Split(strings.TrimPrefix(subject, runsSubject), ".")[0]
		return q.fetchRun(ctx, runKey{batch, id}, dir, dataDir, contexts)
	}
	return &trajectory.NotFoundError{Typed: id, Dir: "the queue"}
}

// isCopy reports whether a run was fetched and has not changed since.
func isCopy(dir string) bool {
	events, err := os.ReadFile(filepath.Join(dir, fetchedFile))
	if err != nil {
		return false
	}
	last := int64(0)
	for e, err := range trajectory.Skim(dir) {
		if err != nil {
			return false
		}
		last = e.Seq
	}
	return strconv.FormatInt(last, 10) == string(events)
}

func (q *Queue) fetchRun(ctx context.Context, run runKey, dir, dataDir string, whole bool) error {
	root := filepath.Join(dir, "contexts")
	if _, err := q.restore(ctx, run, dir, root); err != nil {
		return err
	}
	last := int64(0)
	for e, err := range trajectory.Skim(dir) {
		if err != nil {
			return fmt.Errorf("fetch run %s: %w", run.id, err)
		}
		last = e.Seq
	}
	if err := os.WriteFile(filepath.Join(dir, fetchedFile), []byte(strconv.FormatInt(last, 10)), 0o600); err != nil {
		return fmt.Errorf("fetch run %s: %w", run.id, err)
	}
	if !whole {
		return nil
	}
	known, err := q.known(ctx, run.batch)
	if err != nil {
		return err
	}
	for _, k := range known {
		if k.Run != run.id {
			continue
		}
		c := &contexts{queue: q, dir: filepath.Join(Dir(dataDir), "node", "contexts"), most: defaultCacheSize}
		for i, s := range k.Job.Context {
			if s.Object == "" || s.Path == "" {
				continue // the source's text is in the log, or nodes read the path themselves
			}
			if _, _, err := c.tree(ctx, s, filepath.Join(root, strconv.Itoa(i))); err != nil {
				return errors.Join(fmt.Errorf("fetch the context of run %s: %w", run.id, err), os.RemoveAll(dir))
			}
		}
	}
	return nil
}
