package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// store is where the bytes of a text are written until it is sealed: in memory as long as they fit, else in a file. A text that does not fit
// and is a file byte for byte is left there.
type store struct {
	f        *os.File
	size     int64
	inMemory bool
	limit    int64 // most that is kept in memory
	inPlace  bool  // f is the file that the text is read from; what is written is there already
}

// newStore makes a store for about size bytes; it may become larger. limit is the most that is kept in memory, 0 what can be spared.
func newStore(size, limit int64) (*store, error) {
	if limit == 0 {
		limit = freeMemory() / 2
	}
	s := &store{limit: limit}
	if size <= s.limit {
		if f, err := memoryFile(); err == nil {
			s.f, s.inMemory = f, true
			return s, nil
		}
	}
	f, err := diskFile()
	if err != nil {
		return nil, fmt.Errorf("make a file for the context: %w", err)
	}
	s.f = f
	return s, nil
}

// Write appends to the store.
func (s *store) Write(p []byte) (int, error) {
	if s.inPlace {
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.inMemory && s.size+int64(len(p)) > s.limit {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	n, err := s.f.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, s.explain(err)
	}
	return n, nil
}

// leave has the text stay in the file that it is read from, if that is possible and nothing is written yet. What is written from here on must be
// the bytes of the file, from its beginning.
func (s *store) leave(f *os.File) {
	if s.inMemory || s.inPlace || s.size > 0 {
		return
	}
	again, err := openAgain(f)
	if err != nil {
		return
	}
	_ = s.f.Close() // nothing is in it
	s.f, s.inPlace = again, true
}

// own makes a copy of what was left in its file, because what follows is other than that.
func (s *store) own() error {
	if !s.inPlace {
		return nil
	}
	return s.spill()
}

// spill moves what is in memory, or in the file that it was read from, to a file of its own.
func (s *store) spill() error {
	f, err := diskFile()
	if err != nil {
		return fmt.Errorf("make a file for a context larger than half of free memory: %w", err)
	}
	old := s.f
	s.f, s.inMemory, s.inPlace = f, false, false
	_, err = io.Copy(f, io.NewSectionReader(old, 0, s.size))
	if err = errors.Join(err, old.Close()); err != nil {
		return s.explain(err)
	}
	return nil
}

// copyFrom appends a whole file, in the kernel where that is possible.
func (s *store) copyFrom(f *os.File, size int64) error {
	if s.inMemory && s.size+size > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	n, err := copyFile(s.f, f, size)
	s.size += n
	if err != nil {
		return s.explain(err)
	}
	return nil
}

func (s *store) explain(err error) error {
	where := "in memory"
	if !s.inMemory {
		where = "on disk in " + scratchFolder() + " (set TMPDIR to use another folder)"
	}
	return fmt.Errorf("keep the context %s: %w", where, err)
}

// scratchFolder is where large contexts go: not /tmp, which is often memory itself.
func scratchFolder() string {
	if os.Getenv("TMPDIR") == "" {
		if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
			return "/var/tmp"
		}
	}
	return os.TempDir()
}
