package trajectory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// summaryFile stores a Summary next to the log, so that listing runs need not read logs. It is valid only for the
// log that it was made from; if the log has grown since, only the new part is read.
const summaryFile = "summary.json"

// storedSummary is a Summary with the state of the log that it describes.
type storedSummary struct {
	Version  int       `json:"version"`
	Size     int64     `json:"size"`     // size of the log at that time
	Modified time.Time `json:"modified"` // modification time of the log at that time
	Summary
	At      int64          `json:"at"`      // offset after the last event
	Ending  string         `json:"ending"`  // hash of the last bytes before At
	Tracker summaryTracker `json:"tracker"` // continues from At
}

const (
	summaryVersion = 4        // changes with the way summaries are made
	summaryEvery   = 4 << 20  // bytes of a log between two writes of its summary
	mostEnding     = 64 << 10 // bytes before the offset that must be unchanged in a log that has grown
)

// writeSummary stores the summary of the durable events next to the log. The caller holds mu, or has made sure that
// nothing more is appended.
func (l *Log) writeSummary() error {
	info, err := l.lines.Stat()
	if err == nil {
		err = storeSummary(l.dir, l.lines, info, l.summary, l.durable.at)
		l.summarized = l.durable.at
	}
	if err != nil {
		return fmt.Errorf("write the run's summary: %w", err)
	}
	return nil
}

// storeSummary writes the summary of a log with the given info, up to offset at.
func storeSummary(dir string, log io.ReaderAt, info os.FileInfo, t summaryTracker, at int64) error {
	ending, err := endingAt(log, at)
	if err != nil {
		return err
	}
	b, err := json.Marshal(storedSummary{
		Version: summaryVersion, Size: info.Size(), Modified: info.ModTime().UTC(), Summary: t.summary(), At: at,
		Ending: ending, Tracker: t,
	})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, summaryFile), b)
}

// endingAt is a hash of the bytes before an offset of a log.
func endingAt(log io.ReaderAt, at int64) (string, error) {
	from := max(0, at-mostEnding)
	h := sha256.New()
	if n, err := io.Copy(h, io.NewSectionReader(log, from, at-from)); err != nil || n < at-from {
		return "", cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// loadSummary returns the stored summary, if there is one.
func loadSummary(dir string) (stored storedSummary, ok bool) {
	b, err := readSmall(filepath.Join(dir, summaryFile))
	return stored, err == nil && json.Unmarshal(b, &stored) == nil && stored.Version == summaryVersion
}

// describes reports whether the summary belongs to a log with this info.
func (s storedSummary) describes(info os.FileInfo) bool {
	return s.Size == info.Size() && s.Modified.Equal(info.ModTime())
}

// List returns the runs below the folder for runs, newest first. An unreadable run is listed with its Problem and
// whatever can be read of it.
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

// salvageSummary summarises the readable parts of a damaged log.
func salvageSummary(dir string) Summary {
	var t summaryTracker
	for e, err := range events(dir, readOptions{only: summarized, salvage: true}) {
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
	if s.Started.IsZero() { // nothing is recorded yet
		if info, err := os.Lstat(filepath.Join(dir, logFile)); err == nil {
			s.Started = info.ModTime().UTC()
			s.Last = s.Started
		}
	}
	if s.Status == "" {
		_, owned := OwnerOf(dir)
		switch {
		case owned && s.Questions == 0:
			s.Status = StatusOpen
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

// summaryOf returns the summary; the status is empty for a run that did not end. A summary made from the log is
// stored for the next time, unless a process owns the log, which then stores it itself.
func summaryOf(dir string) (Summary, error) {
	path := filepath.Join(dir, logFile)
	info, err := os.Lstat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("read the run's log: %w", err)
	}
	stored, ok := loadSummary(dir)
	if ok && stored.describes(info) {
		return stored.Summary, nil
	}
	log, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return Summary{}, fmt.Errorf("read the run's log: %w", err)
	}
	defer log.Close()
	t, from := summaryTracker{}, position{}
	if ending, err := endingAt(log, stored.At); ok && err == nil && ending == stored.Ending {
		t, from = stored.Tracker, position{stored.Tracker.Sum.Events, stored.At}
	}
	t, at, err := track(dir, t, from)
	if err != nil { // so that the error counts lines from the start
		t, at, err = track(dir, summaryTracker{}, position{})
	}
	if err != nil {
		return Summary{}, err
	}
	now, err := os.Lstat(path)
	if _, owned := OwnerOf(dir); err == nil && !owned && now.Size() == info.Size() &&
		now.ModTime().Equal(info.ModTime()) {
		_ = storeSummary(dir, log, info, t, at) // a read-only folder can still be listed
	}
	return t.summary(), nil
}

// track continues a summary from a position in the log, and returns the offset after the last event.
func track(dir string, t summaryTracker, from position) (summaryTracker, int64, error) {
	for e, err := range readFrom(dir, from, readOptions{only: summarized}) {
		if err != nil {
			return t, from.at, err
		}
		t.add(e.Event)
		from.at = e.at
	}
	return t, from.at, nil
}
