package runner

import (
	"encoding/json"
	"fmt"
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

// find returns the id and the folder of the only run whose id begins so.
func (r *Runner) find(id string) (full, dir string, err error) {
	session, _, _ := strings.Cut(id, ".")
	if dir, err = trajectory.Find(r.RunsDir(), session); err != nil {
		return "", "", err
	}
	return filepath.Base(dir), dir, nil
}

// recorded is the runner's configuration with the settings that the last run of a session was begun with.
func (r *Runner) recorded(id string) (config, error) {
	_, dir, err := r.find(id)
	if err != nil {
		return config{}, err
	}
	cfg := r.cfg
	var events []trajectory.Event
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return config{}, err
		}
		events = append(events, ev)
	}
	for _, ev := range trajectory.Kept(events) {
		d, ok := ev.Data.(trajectory.RunStarted)
		if !ok || ev.Path != "" || len(d.Config) == 0 {
			continue
		}
		cfg.settings = settings{}
		if err := json.Unmarshal(d.Config, &cfg.settings); err != nil {
			return config{}, fmt.Errorf("reading the configuration of run %s: %w", id, err)
		}
		cfg.metadata = d.Metadata
	}
	return cfg, nil
}
