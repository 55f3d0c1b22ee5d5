package trajectory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// recover finds the end of the log, cuts what a crash left behind it, and learns which texts there are.
func (l *Log) recover() error {
	var err error
	if l.index, l.textEnd, err = indexTexts(l.texts); err != nil {
		return fmt.Errorf("read the run's texts: %w", err)
	}
	if err := cut(l.texts, l.textEnd); err != nil {
		return err
	}
	r := lineReader{r: bufio.NewReaderSize(io.NewSectionReader(l.lines, 0, 1<<62), 64<<10)}
	for {
		before := r.at
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the run's log: %w", err)
		}
		var e Event
		err = json.Unmarshal(line, &e)
		if err == nil && e.Seq != l.seq+1 {
			err = fmt.Errorf("event %d follows event %d", e.Seq, l.seq)
		}
		if err != nil {
			if _, more := r.next(); errors.Is(more, io.EOF) {
				r.at = before // the last line, torn
				break
			}
			return fmt.Errorf("the run's log is damaged: %s, line %d: %w", l.lines.Name(), l.seq+1, err)
		}
		l.seq = e.Seq
		l.summary.add(e)
	}
	l.lineEnd = r.at
	l.durable = position{l.seq, l.lineEnd}
	return cut(l.lines, l.lineEnd)
}

// cut shortens a file to size if it is longer.
func cut(f *os.File, size int64) error {
	info, err := f.Stat()
	if err == nil && info.Size() > size {
		err = f.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("cut the torn end of %s: %w", f.Name(), err)
	}
	return nil
}
