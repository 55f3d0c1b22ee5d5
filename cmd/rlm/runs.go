package main

import (
	"errors"
	"path/filepath"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// runsDir is the folder that holds the runs.
func runsDir() (string, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	return trajectory.RunsDir(data), nil
}

// findRun returns the folder of the only run that is meant by id; "last" is the newest one.
func findRun(id string) (string, error) {
	runs, err := runsDir()
	if err != nil {
		return "", err
	}
	if id == "last" {
		list, err := trajectory.List(runs)
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			return "", wrongUsage("there is no run yet; try: rlm demo")
		}
		return list[0].Dir, nil
	}
	dir, err := trajectory.Find(runs, id)
	var missing *trajectory.NotFoundError
	if errors.As(err, &missing) {
		return "", &exit{termination.ExitUsage, err}
	}
	return dir, err
}

// runID is the id that findRun means.
func runID(id string) (string, error) {
	dir, err := findRun(id)
	return filepath.Base(dir), err
}

func logPath(dir string) string { return filepath.Join(dir, "trajectory.jsonl") }
