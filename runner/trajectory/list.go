package trajectory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// summaryFile holds a Summary beside the log, so that listing runs need not read logs. It counts only while
// it describes all of the log.
const summaryFile = "summary.json"

// storedSummary is a Summary with what tells whether it describes all of the log.
type storedSummary struct {
	Version  int       `json:"version"`
	Size     int64     `json:"size"`     // of the log that it was made from
	Modified time.Time `json:"modified"` // when that log was written last
	Summary
}

// summaryVersion changes when a summary is made in another way.
const summaryVersion = 1

// writeSummary leaves the summary beside the log, when nothing more is appended.
func (l *Log) writeSummary() error {
	info, err := l.lines.Stat()
	if err == nil {
		err = storeSummary(l.dir, info, l.summary.summary())
	}
	if err != nil {
		return fmt.Errorf("write the run's summary: %w", err)
	}
	return nil
}

// storeSummary writes the summary of a log that is as info says.
func storeSummary(dir string, info os.FileInfo, sum Summary) error {
	b, err := json.Marshal(storedSummary{Version: summaryVersion, Size: info.Size(), Modified: info.ModTime().UTC(), Summary: sum})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, summaryFile), b)
}

// loadSummary returns the stored summary if it is that of a log that is as info says.
func loadSummary(dir string, info os.FileInfo) (Summary, bool) {
	var stored storedSummary
	b, err := readSmall(filepath.Join(dir, summaryFile))
	if err != nil || json.Unmarshal(b, &stored) != nil {
		return Summary{}, false
	}
	return stored.Summary, stored.Version == summaryVersion && stored.Size == info.Size() && stored.Modified.Equal(info.ModTime())
}

// List returns the runs below the folder for runs, newest first. One that cannot be read is listed with its
// Problem and what can be read of it.
func List(runs string) ([]Summary, error) {
	ids, err := listIDs(runs)
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(ids))
	for _, id := range ids {
		dir := filepath.Join(runs, id)
		s, err := Summarize(dir)
		if err != nil {
			s = salvageSummary(dir)
			s.ID, s.Dir, s.Status, s.Problem = id, dir, StatusUnreadable, err.Error()
		}
		out = append(out, s)
	}
	return out, nil
}

// salvageSummary is made of what can be read of a damaged log.
func salvageSummary(dir string) Summary {
	var t summaryTracker
	for e, err := range events(dir, reading{only: summarized, salvage: true}) {
		if err != nil {
			break
		}
		t.add(e)
	}
	return t.summary()
}

// Summarize returns the summary of the run in dir: from its summary file if that is current, else from its
// log.
func Summarize(dir string) (Summary, error) {
	s, err := summaryOf(dir)
	if err != nil {
		return Summary{}, err
	}
	s.Dir, s.ID = dir, filepath.Base(dir)
	if s.Status == "" {
		_, owned := OwnerOf(dir)
		switch {
		case owned:
			s.Status = StatusRunning
		case s.Questions == 0:
			s.Status = StatusClosed
		default:
			s.Status = StatusInterrupted
		}
	}
	return s, nil
}

// summaryOf returns the summary without the status of a run that did not end. What it takes from the log it
// leaves beside it for the next time, unless somebody writes to the log.
func summaryOf(dir string) (Summary, error) {
	path := filepath.Join(dir, logFile)
	info, err := os.Lstat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("read the run's log: %w", err)
	}
	if sum, ok := loadSummary(dir, info); ok {
		return sum, nil
	}
	var t summaryTracker
	for e, err := range events(dir, reading{only: summarized}) {
		if err != nil {
			return Summary{}, err
		}
		t.add(e)
	}
	sum := t.summary()
	now, err := os.Lstat(path)
	if _, owned := OwnerOf(dir); err == nil && !owned && now.Size() == info.Size() && now.ModTime().Equal(info.ModTime()) {
		_ = storeSummary(dir, info, sum) // a folder that cannot be written to is listed all the same
	}
	return sum, nil
}
