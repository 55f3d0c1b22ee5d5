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

// fetchedFile stands in the folder of a run that was fetched, with the number of its events then.
const fetchedFile = "fetched"

// Fetch makes a copy of a run of a queue elsewhere below a data folder, an ordinary log. With contexts, what the run was begun over comes
// along, so that the copy can be resumed and forked; the run itself stays as it is. A copy that is there is brought up to date, unless something
// else was done with it. The error is a *trajectory.NotFoundError if there is no such run.
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
		return fmt.Errorf("look for run %s: %w", id, q.why(err))
	}
	for subject := range info.State.Subjects {
		batch := strings.Split(strings.TrimPrefix(subject, runsSubject), ".")[0]
		return q.fetchRun(ctx, runKey{batch, id}, dir, dataDir, contexts)
	}
	return &trajectory.NotFoundError{Typed: id, Dir: "the queue"}
}

// isCopy says that a run was fetched, and that nothing was done with the copy.
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
				continue // it stands in the log, or nodes have read the path themselves
			}
			if _, err := c.tree(ctx, s, filepath.Join(root, strconv.Itoa(i))); err != nil {
				return errors.Join(fmt.Errorf("fetch the context of run %s: %w", run.id, err), os.RemoveAll(dir))
			}
		}
	}
	return nil
}
