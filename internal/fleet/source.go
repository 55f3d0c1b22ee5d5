package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/runner"
)

// files returns the files and folders that a path or pattern denotes.
func (s Source) files() ([]string, error) {
	_, err := os.Lstat(s.Path)
	switch {
	case err == nil:
		return []string{s.Path}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read %q: %w", s.Path, cause(err))
	case !strings.ContainsAny(s.Path, "*?[{"):
		return nil, fmt.Errorf("there is no file or folder %q (write text as {\"text\": \"…\"})", s.Path)
	}
	return files.Glob(s.Path)
}

// inputs returns the runner's inputs for a job's context.
func (j Job) inputs() ([]runner.Input, error) {
	var inputs []runner.Input
	var all []string // the path of each input
	for _, s := range j.Context {
		switch {
		case s.URL != "":
			inputs, all = append(inputs, runner.URL(s.URL)), append(all, "")
		case s.Path != "":
			paths, err := s.files()
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				inputs, all = append(inputs, runner.Path(path)), append(all, path)
			}
		default:
			name := s.Name
			if name == "" {
				name = "text"
			}
			inputs, all = append(inputs, runner.Text(name, s.Text)), append(all, "")
		}
	}
	return withoutFolders(inputs, all), nil
}

// withoutFolders gives documents of absolute paths names that do not tell where the files lie, because others may see
// the run.
func withoutFolders(inputs []runner.Input, paths []string) []runner.Input {
	for i, name := range files.ShortNames(paths) {
		if filepath.IsAbs(paths[i]) {
			inputs[i] = inputs[i].As(name)
		}
	}
	return inputs
}

// digester computes the digests of sources. A path that several jobs name is read once.
type digester struct{ known map[string]string }

// digest sets the digests of a job's sources.
func (d *digester) digest(j *Job) error {
	context := make([]Source, len(j.Context))
	for i, s := range j.Context {
		if s.Path != "" {
			sum, ok := d.known[s.Path]
			if !ok {
				var err error
				if sum, err = digestPath(s); err != nil {
					return fmt.Errorf("job %s: %w", j.ID, err)
				}
				d.known[s.Path] = sum
			}
			s.Digest = sum
		}
		context[i] = s
	}
	j.Context = context
	return nil
}

// changedKind is the Result.Kind of a job whose files have changed since it was submitted.
const changedKind = "changed"

// changedError means that the contents of a path have changed since its job was submitted.
type changedError struct{ path string }

func (e *changedError) Error() string {
	return fmt.Sprintf("%s changed after the batch was submitted, so nothing was asked: run the same command again",
		e.path)
}

// unchanged checks that the paths of a job still have the contents that identify the job, because a result must not
// count for other contents. The error is a *changedError.
func (j Job) unchanged() error {
	for _, s := range j.Context {
		if s.Path == "" || s.Digest == "" || s.Object != "" || s.Shared {
			continue
		}
		if now, err := digestPath(s); err != nil || now != s.Digest {
			return &changedError{s.Path}
		}
	}
	return nil
}

// digestPath returns a digest of the names and contents of the files that a path denotes.
func digestPath(s Source) (string, error) {
	files, err := s.files()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, path := range files {
		if err := addPath(h, path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func addPath(h io.Writer, top string) error {
	return eachFile(top, func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("cannot read %q: %w", path, cause(err))
		}
		fmt.Fprintf(h, "%s\x00%d\x00", filepath.ToSlash(path), info.Size()) // writing to a hash never fails
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot read %q: %w", path, cause(err))
		}
		defer f.Close() // an error after reading does not matter
		if _, err := io.Copy(h, f); err != nil {
			return fmt.Errorf("reading %q: %w", path, cause(err))
		}
		return nil
	})
}

// cause returns a file error without its path, which the message already contains.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
