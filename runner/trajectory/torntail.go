package trajectory

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// tail is the suffix of the file to which whatever follows the usable part of a file is moved. Nothing in a log is
// deleted.
const tail = ".tail"

// recover finds the end of the log, moves aside what a crash left after it, and indexes the texts. A log that is
// damaged elsewhere is not touched.
func (l *Log) recover() error {
	r := newEventReader(l.dir, l.lines, position{}, readOptions{})
	refs := textReferences{index: map[[32]byte]*textRef{}}
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		refs.add(e.Data)
		l.seq, l.lineEnd = e.Seq, e.at
		l.summary.add(e.Event)
	}
	// The log may also end with repeated lines, which are kept.
	l.lineEnd = max(l.lineEnd, r.repeated)
	l.durable = position{l.seq, l.lineEnd}
	end, err := indexTexts(l.texts, refs)
	if err != nil {
		return fmt.Errorf("read the run's texts: %w", err)
	}
	l.index, l.textEnd = refs.index, end
	if err := moveTail(l.texts, l.textEnd); err != nil {
		return err
	}
	return moveTail(l.lines, l.lineEnd)
}

// textReferences are the texts that lines refer to.
type textReferences struct {
	index map[[32]byte]*textRef
	end   int64 // end of the last such text in the file
}

func (r *textReferences) add(d Data) {
	// The mapping changes nothing and cannot fail.
	_, _ = mapTexts(d, func(t Text) (Text, error) {
		if t.ref != nil {
			r.index[t.ref.hash] = t.ref
			r.end = max(r.end, t.ref.at+t.ref.stored)
		}
		return t, nil
	})
}

// moveTail cuts a file to size. The rest is first appended to a file next to it, unless it consists only of zeros,
// which a file system leaves after a power failure.
func moveTail(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("find the end of %s: %w", f.Name(), err)
	}
	if info.Size() <= size {
		return nil
	}
	zero, err := onlyZeros(io.NewSectionReader(f, size, 1<<62))
	if err == nil && !zero {
		err = appendTo(f.Name()+tail, io.NewSectionReader(f, size, 1<<62))
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("move the end of %s aside: %w", f.Name(), err)
	}
	return nil
}

func onlyZeros(r io.Reader) (bool, error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			if c != 0 {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// appendTo appends the content of r to a file durably.
func appendTo(path string, r io.Reader) error {
	f, err := openFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}
