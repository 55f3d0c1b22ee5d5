package documents

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// spool keeps bytes until they are needed: a few in memory, more in a file that has no name. Nothing is read of it before flush.
type spool struct {
	dir  string
	size int64
	mem  []byte
	file *os.File
	late *bufio.Writer // has what is not in the file yet
	name string        // of the file where it cannot be removed at once
}

// spoolMemory is how many bytes a spool keeps in memory.
const spoolMemory = 128 << 10

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.mem)+len(p) <= spoolMemory {
		s.mem = append(s.mem, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if err := s.toFile(); err != nil {
		return 0, err
	}
	if s.late == nil {
		s.late = bufio.NewWriterSize(s.file, maxPiece)
	}
	n, err := s.late.Write(p)
	s.size += int64(n)
	return n, err
}

// flush makes all that was written readable.
func (s *spool) flush() error {
	if s.late == nil {
		return nil
	}
	late := s.late
	s.late = nil
	return late.Flush()
}

// toFile moves what is in memory to a file.
func (s *spool) toFile() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp(s.dir, ".rlm-document-*")
	if err != nil {
		return err
	}
	if err := os.Remove(f.Name()); err != nil {
		s.name = f.Name() // Windows removes no open file
	}
	s.file = f
	mem := s.mem
	s.mem = nil
	_, err = f.Write(mem)
	return err
}

// ReadAt reads what was written.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	if off < 0 || off > int64(len(s.mem)) {
		return 0, io.EOF
	}
	n := copy(p, s.mem[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close gives the bytes up.
func (s *spool) Close() error {
	s.mem, s.late = nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	s.file = nil
	return err
}
