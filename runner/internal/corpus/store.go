package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// store holds the bytes of a text until it is sealed: in memory if they fit, else in a file. A text that does not
// fit but consists of a single unchanged file stays in that file.
type store struct {
	f        *os.File
	size     int64
	inMemory bool
	limit    int64 // most bytes kept in memory
	inPlace  bool  // f is the source file; writes only advance size
}

// newStore makes a store for about size bytes; it may grow. limit bounds the memory; 0 means half of what is free.
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
		return nil, fmt.Errorf("create a file for the context: %w", err)
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

// leave uses the source file itself as the store, if possible and if nothing has been written yet. Later
// writes must be the bytes of the file, from its start.
func (s *store) leave(f *os.File) {
	if s.inMemory || s.inPlace || s.size > 0 {
		return
	}
	again, err := openAgain(f)
	if err != nil {
		return
	}
	_ = s.f.Close() // the file is empty
	s.f, s.inPlace = again, true
}

// own copies the part of the text that was left in its source file, because the following part differs from the
// file.
func (s *store) own() error {
	if !s.inPlace {
		return nil
	}
	return s.spill()
}

// spill moves the text from memory, or from its source file, to a new file.
func (s *store) spill() error {
	f, err := diskFile()
	if err != nil {
		return fmt.Errorf("create a file for a context larger than half of the free memory: %w", err)
	}
	old := s.f
	s.f, s.inMemory, s.inPlace = f, false, false
	_, err = io.Copy(f, io.NewSectionReader(old, 0, s.size))
	if err = errors.Join(err, old.Close()); err != nil {
		return s.explain(err)
	}
	return nil
}

// copyFrom appends a whole file, in the kernel if possible.
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
	return fmt.Errorf("store the context %s: %w", where, err)
}

// scratchFolder is the folder for large contexts: not /tmp, which is often in memory.
func scratchFolder() string {
	if os.Getenv("TMPDIR") == "" {
		if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
			return "/var/tmp"
		}
	}
	return os.TempDir()
}
