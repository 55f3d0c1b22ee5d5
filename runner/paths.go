package runner

import (
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

// RunsDir is the folder that holds the runs, one folder each.
func (r *Runner) RunsDir() string { return trajectory.RunsDir(r.cfg.dataDir) }

// Trajectory is the path of the log of a run.
func (r *Runner) Trajectory(runID string) string {
	session, _, _ := strings.Cut(runID, ".")
	return filepath.Join(r.RunsDir(), session, "trajectory.jsonl")
}

// findRun returns the id and the folder of the only run whose id starts with id.
func (r *Runner) findRun(id string) (full, dir string, err error) {
	session, _, _ := strings.Cut(id, ".")
	if dir, err = trajectory.Find(r.RunsDir(), session); err != nil {
		return "", "", err
	}
	return filepath.Base(dir), dir, nil
}
