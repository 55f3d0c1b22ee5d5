package main

import (
	"path/filepath"

	"github.com/gorlm/rlm/runner/trajectory"
)

// runsDir is the folder that holds the runs.
func runsDir() (string, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	return trajectory.RunsDir(data), nil
}

// findRun returns the folder of the only run whose id begins so.
func findRun(id string) (string, error) {
	runs, err := runsDir()
	if err != nil {
		return "", err
	}
	return trajectory.Find(runs, id)
}

func logPath(dir string) string { return filepath.Join(dir, "trajectory.jsonl") }
