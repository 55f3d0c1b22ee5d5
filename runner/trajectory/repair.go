package trajectory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Damage is the result of Inspect or Repair.
type Damage struct {
	First  *DamagedError // the first damaged line; nil: the log is whole
	Kept   int64         // number of events before First
	Bytes  int64         // size of the log from First on, in bytes
	Events int           // intact events from First on
	Aside  string        // file to which this part of the log was moved; "" if nothing was moved
}

// Inspect looks for damage in the log in dir and its texts, without changing anything. Repeated lines and a torn
// end are not damage: readers ignore them.
func Inspect(dir string) (Damage, error) {
	f, err := openFile(filepath.Join(dir, logFile), os.O_RDONLY)
	if err != nil {
		return Damage{}, fmt.Errorf("read the run's log: %w", err)
	}
	defer f.Close()
	d, _, err := inspect(dir, f)
	return d, err
}

// Repair makes a damaged log usable: it cuts the log before the first damaged line, and appends the rest to
// trajectory.jsonl.tail next to it. Texts are not touched. A resumed run then continues after the last event before
// the damage. The error is a *LockedError if a process owns the log.
func Repair(dir string) (d Damage, err error) {
	if _, err := os.Lstat(filepath.Join(dir, logFile)); err != nil {
		return Damage{}, fmt.Errorf("repair the run's log: %w", err)
	}
	owner, err := acquire(dir)
	if err != nil {
		return Damage{}, err
	}
	defer func() { err = errors.Join(err, owner.release()) }()
	f, err := openFile(filepath.Join(dir, logFile), os.O_RDWR)
	if err != nil {
		return Damage{}, fmt.Errorf("repair the run's log: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	d, end, err := inspect(dir, f)
	if err != nil || d.First == nil {
		return d, err
	}
	if err := moveTail(f, end); err != nil {
		return d, err
	}
	d.Aside = f.Name() + tail
	if err := os.Remove(filepath.Join(dir, summaryFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return d, fmt.Errorf("repair the run's log: %w", err)
	}
	return d, errors.Join(f.Sync(), syncFolder(dir))
}

// inspect returns the damage and the end of the usable part of the log.
func inspect(dir string, f *os.File) (d Damage, end int64, err error) {
	r := newEventReader(dir, f, position{}, readOptions{texts: true})
	defer r.close()
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return d, r.lines.at, nil
		}
		if errors.As(err, &d.First) {
			end = r.lines.start
			break
		}
		if err != nil {
			return d, 0, err
		}
		d.Kept = e.Seq
	}
	info, err := f.Stat()
	if err != nil {
		return d, 0, fmt.Errorf("read the run's log: %w", err)
	}
	d.Bytes = info.Size() - end
	d.Events, err = countEvents(f, end)
	return d, end, err
}

// countEvents counts the lines that are events, from an offset on.
func countEvents(f *os.File, from int64) (n int, err error) {
	for lines := newLineReader(f, from); ; {
		line, err := lines.next()
		var e Event
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case errors.Is(err, errLongLine):
		case err != nil:
			return n, fmt.Errorf("read the run's log: %w", err)
		case e.decode(line, nil) == nil:
			n++
		}
	}
}
