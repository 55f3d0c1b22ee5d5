package client

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/session"
)

// Settings returns the settings of a session.
func (c *Client) Settings(ctx context.Context, id string) (session.Settings, error) {
	return session.Do[session.Settings](ctx, c, session.Request{Command: "settings", Session: id})
}

// AddFiles adds a file, or the files of a folder whose names do not start with a dot, to an upload. If the path is
// absolute, name replaces it in the names of the files, because those who see them need not know where files lie here.
func AddFiles(path, name string, add func(name string, r io.Reader) error) error {
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && file != path; hidden && d.IsDir() {
			return fs.SkipDir
		} else if hidden || !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		called := file
		if rest, ok := strings.CutPrefix(file, path); ok && filepath.IsAbs(path) {
			called = filepath.Join(name, rest)
		}
		if err := add(filepath.ToSlash(called), f); err != nil {
			return fmt.Errorf("sending %s: %w", file, err)
		}
		return nil
	})
}
