package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

// runsDir is the folder that holds the runs.
func runsDir() (string, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	return trajectory.RunsDir(data), nil
}

// listRuns lists the runs, the newest first. One that could not begin (a path that does not exist) left nothing to show.
func listRuns() ([]trajectory.Summary, error) {
	runs, err := runsDir()
	if err != nil {
		return nil, err
	}
	list, err := trajectory.List(runs)
	return slices.DeleteFunc(list, func(s trajectory.Summary) bool { return s.Events == 0 && s.Problem == "" }), err
}

// findRun returns the folder of the only run that is meant by id; "last" is the newest one.
func findRun(id string) (string, error) {
	runs, err := runsDir()
	if err != nil {
		return "", err
	}
	if id == "last" {
		list, err := listRuns()
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			return "", wrongUsage("there is no run yet; try: rlm demo")
		}
		return list[0].Dir, nil
	}
	id, _, _ = strings.Cut(id, ".") // a later question of a session: id.2
	dir, err := trajectory.Find(runs, id)
	var missing *trajectory.NotFoundError
	if errors.As(err, &missing) {
		return "", &exit{termination.ExitUsage, err}
	}
	return dir, err
}

// completeRuns offers the ids of runs to the shell, with their questions.
func completeRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := listRuns()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out := []string{"last"}
	for _, s := range list {
		out = append(out, s.ID+"\t"+questionText(s))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// runID is the id that findRun means.
func runID(id string) (string, error) {
	dir, err := findRun(id)
	return filepath.Base(dir), err
}

func logPath(dir string) string { return filepath.Join(dir, "trajectory.jsonl") }
