package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/pflag"
)

// statuses are those that a run can have, the usual ones first.
func statuses() []string {
	return []string{
		string(termination.Completed), trajectory.StatusRunning, trajectory.StatusInterrupted, string(termination.Failed),
		string(termination.PendingReview), trajectory.StatusApproved, trajectory.StatusClosed, trajectory.StatusUnreadable,
		string(termination.ImplicitCompletion), string(termination.MaxIterations), string(termination.IterationsExceeded),
		string(termination.Stopped), string(termination.EmptyResponseError), string(termination.TokenLimit),
		string(termination.CostLimit), string(termination.TimeLimit), string(termination.SubCallLimit),
		string(termination.DepthLimit), string(termination.ErrorLimit),
	}
}

func kinds() []string { return []string{string(trajectory.KindRun), string(trajectory.KindSession)} }

// filter chooses runs from the list.
type filter struct {
	status, kind, text string
	since, olderThan   age
	empty              bool
}

func (f *filter) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.status, "status", "", "runs with this status, such as completed, interrupted or pending_review")
	flags.StringVar(&f.kind, "kind", "", "run or session")
	flags.StringVar(&f.text, "grep", "", "runs whose question, name or model holds this text, whatever its case")
	flags.Var(&f.since, "since", "runs that began in this time, such as 12h or 7d")
}

// given reports whether any condition is set.
func (f filter) given() bool { return f != filter{} }

// of returns the runs that all conditions name, in the same order. A status counts as known if a run has it: another version
// may have written the log.
func (f filter) of(list []trajectory.Summary) ([]trajectory.Summary, error) {
	has := func(s trajectory.Summary) bool { return s.Status == f.status }
	if f.status != "" && !slices.Contains(statuses(), f.status) && !slices.ContainsFunc(list, has) {
		return nil, wrongUsage("there is no status %q; there are: %s", f.status, strings.Join(statuses(), ", "))
	}
	if f.kind != "" && !slices.Contains(kinds(), f.kind) {
		return nil, wrongUsage("--kind is run or session, not %q", f.kind)
	}
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(list), func(s trajectory.Summary) bool {
		switch {
		case f.status != "" && s.Status != f.status,
			f.kind != "" && string(s.Kind) != f.kind,
			f.since > 0 && s.Started.Before(now.Add(-time.Duration(f.since))),
			f.olderThan > 0 && s.Last.After(now.Add(-time.Duration(f.olderThan))),
			f.empty && (s.Questions > 0 || s.Cells > 0 || s.Problem != ""):
			return true
		}
		text := strings.ToLower(s.Name + "\n" + s.Question + "\n" + s.Model)
		return f.text != "" && !strings.Contains(text, strings.ToLower(f.text))
	}), nil
}

// age is a time as people say how long ago something was: "30d", "12h", "90m".
type age time.Duration

func (d age) String() string {
	if d == 0 {
		return ""
	}
	return time.Duration(d).String()
}

// Type names the kind of value in help texts.
func (age) Type() string { return "age" }

// Set reads an age; d is a day, w a week.
func (d *age) Set(text string) error {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || n <= 0 || n > 36500 {
				return errAge(text)
			}
			*d = age(n * float64(length))
			return nil
		}
	}
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return errAge(text)
	}
	*d = age(v)
	return nil
}

func errAge(text string) error { return wrongUsage("%q is no age (write 30d, 12h or 2w)", text) }

// unreadable is what a list shows of a run whose log cannot be read.
func unreadable(dir string, err error) trajectory.Summary {
	return trajectory.Summary{ID: filepath.Base(dir), Dir: dir, Status: trajectory.StatusUnreadable, Problem: err.Error()}
}
