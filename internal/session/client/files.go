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

// AddFiles adds a file, or the files of a folder whose names do not start with a dot, to an upload.
func AddFiles(path string, add func(name string, r io.Reader) error) error {
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
		if err := add(filepath.ToSlash(file), f); err != nil {
			return fmt.Errorf("sending %s: %w", file, err)
		}
		return nil
	})
}
