package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// store is where the bytes of a text are written until it is sealed: in memory as long as they fit, else in a file.
type store struct {
	f        *os.File
	size     int64
	inMemory bool
	limit    int64 // most that is kept in memory
}

// newStore makes a store for about size bytes; it may become larger.
func newStore(size int64) (*store, error) {
	s := &store{limit: freeMemory() / 2}
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

// spill moves what is in memory to a file.
func (s *store) spill() error {
	f, err := diskFile()
	if err != nil {
		return fmt.Errorf("make a file for a context larger than half of free memory: %w", err)
	}
	old := s.f
	s.f, s.inMemory = f, false
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
