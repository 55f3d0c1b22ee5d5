package files

import (
	"cmp"
	"errors"
	"io"
	"os"
)

// Spool buffers bytes: a few in memory, more in a file without a name. Zero fields mean the defaults. Written
// bytes can be read after Flush. The caller must close it.
type Spool struct {
	Memory int    // bytes kept in memory; default 128 KiB
	Dir    string // folder of the file; default os.TempDir

	size int64
	mem  []byte // everything, or the end that is not in the file yet
	file *os.File
	err  error  // error of the first write that failed
	name string // name of the file, if it cannot be removed while it is open
}

const (
	spoolMemory = 128 << 10
	// spoolPiece is how many bytes are collected for one write to the file.
	spoolPiece = 64 << 10
)

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// Bytes returns the contents of a spool without a file, nil once there is one.
func (s *Spool) Bytes() []byte {
	if s.file != nil {
		return nil
	}
	return s.mem
}

// Write appends. After an error all writes fail.
func (s *Spool) Write(p []byte) (int, error) {
	most := cmp.Or(s.Memory, spoolMemory)
	if s.file != nil {
		most = spoolPiece
	}
	if len(s.mem)+len(p) > most {
		s.toFile()
		if s.err == nil && len(p) > spoolPiece {
			_, s.err = s.file.Write(p)
			s.size += int64(len(p))
			return len(p), s.err
		}
	}
	if s.err != nil {
		return 0, s.err
	}
	s.mem = append(s.mem, p...)
	s.size += int64(len(p))
	return len(p), nil
}

// Flush makes everything written readable.
func (s *Spool) Flush() error {
	if s.file != nil {
		s.toFile()
		s.mem = nil
	}
	return s.err
}

// File moves everything written to the file and returns it; Close closes it.
func (s *Spool) File() (*os.File, error) {
	s.toFile()
	s.mem = nil
	return s.file, s.err
}

// toFile moves the bytes in memory to the file.
func (s *Spool) toFile() {
	if s.file == nil {
		f, err := os.CreateTemp(s.Dir, ".rlm-spool-*")
		if err != nil {
			s.err = err
			return
		}
		if err := os.Remove(f.Name()); err != nil {
			s.name = f.Name() // Windows does not remove open files
		}
		s.file = f
	}
	if s.err == nil {
		_, s.err = s.file.Write(s.mem)
	}
	if s.mem = s.mem[:0]; cap(s.mem) > 2*spoolPiece {
		s.mem = nil
	}
}

// ReadAt reads written bytes.
func (s *Spool) ReadAt(p []byte, off int64) (int, error) {
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

// Close discards the bytes.
func (s *Spool) Close() error {
	s.mem = nil
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
