package front

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gorlm/rlm/internal/kit/files"
)

// storageError is an error that Storage has already rephrased.
type storageError struct{ error }

func (e storageError) Unwrap() error { return e.error }

// Storage explains an error of the storage in which runs are recorded: a full disk, a folder that is not writable,
// a file system that lacks a feature, too few file handles. The message contains the cause and what to do; Storage
// does not rephrase it again. Other errors are returned unchanged. runs is the folder of the runs; id is the run to
// resume, or empty if no run had begun.
func Storage(err error, runs, id string) error {
	if before := (storageError{}); runs == "" || err == nil || errors.As(err, &before) {
		return err
	}
	if worded := worded(err, runs, id); worded != nil {
		return storageError{worded}
	}
	return err
}

// worded returns the explained error; nil if err is not about storage.
func worded(err error, runs, id string) error {
	if errors.Is(err, syscall.EMFILE) { // even if it prevented a lock or a deletion
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Errorf("%s: %w (ulimit -n raises the limit)",
			strings.TrimSuffix(first, ": "+syscall.EMFILE.Error()), syscall.EMFILE)
	}
	data := filepath.Dir(filepath.Dir(runs))
	var lock *files.LockError
	if errors.As(err, &lock) && below(lock.Path, data) {
		return fmt.Errorf("the file system of %s does not support locks (%w): set RLM_DATA_DIR to a folder on a local disk",
			data, lock.Err)
	}
	if lock != nil && below(lock.Path, os.TempDir()) { // locks of temporary data folders
		return fmt.Errorf("the file system of %s does not support locks (%w): set TMPDIR to a folder on a local disk",
			os.TempDir(), lock.Err)
	}
	var at *fs.PathError
	if !errors.As(err, &at) {
		return nil
	}
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	switch {
	case full && below(at.Path, data):
		next := " and try again"
		if id != "" {
			next = ", then continue with: rlm resume " + id
		}
		return fmt.Errorf("the disk is full: nothing more can be recorded in %s; free some space%s", runs, next)
	case strings.HasSuffix(at.Op, "sync") && errors.Is(at.Err, syscall.EINVAL) && below(at.Path, data):
		return fmt.Errorf("the file system of %s cannot make files durable (%w): set RLM_DATA_DIR to a folder on a local disk", data, at)
	case (unusable(at.Err) || at.Op == "mkdir" && errors.Is(at.Err, fs.ErrNotExist)) &&
		(below(at.Path, data) || below(data, at.Path)):
		return fmt.Errorf("%w: set RLM_DATA_DIR to a writable folder", err)
	}
	return nil
}

// unusable reports whether an error means that files cannot be created in a folder.
func unusable(err error) bool {
	for _, e := range []error{
		syscall.EROFS, fs.ErrPermission, syscall.ENOTDIR, fs.ErrExist, syscall.ELOOP, syscall.ENAMETOOLONG,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// below reports whether a path is the folder or lies in it.
func below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
