package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
)

type folderRequest struct {
	Path string `json:"path"`
}

// Folder lists a folder from which files can be added.
type Folder struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"entries"`
	More    bool    `json:"more"` // the list is truncated
}

// Entry is a file or a folder.
type Entry struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Folder   bool      `json:"folder"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
}

const mostEntries = 2000

// listFolder lists a folder below those that the process was started with; without a path it lists those folders
// themselves. It leaves out hidden files and links that point outside them.
func listFolder(_ context.Context, c *Call, in folderRequest) (Folder, error) {
	if in.Path == "" {
		out := Folder{Entries: []Entry{}}
		if c.Who.Owner {
			for _, f := range c.manager.cfg.Folders {
				out.Entries = append(out.Entries, Entry{Name: f, Path: f, Folder: true})
			}
		}
		return out, nil
	}
	real, shown, err := c.manager.inFolders(in.Path)
	if err != nil {
		return Folder{}, err
	}
	if c.Who.Owner {
		shown = real
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return Folder{}, badRequest(in.Path + " is not a readable folder")
	}
	out := Folder{Path: shown}
	folders, files := []Entry{}, []Entry{} // os.ReadDir sorts them by name
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(folders)+len(files) == mostEntries {
			out.More = true
			break
		}
		path, _, err := c.manager.inFolders(filepath.Join(real, e.Name()))
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		into := &files
		if info.IsDir() {
			into = &folders
		}
		path = filepath.Join(shown, e.Name())
		*into = append(*into, Entry{e.Name(), path, info.IsDir(), info.Size(), info.ModTime()})
	}
	out.Entries = append(folders, files...)
	return out, nil
}

// inFolders resolves the links of a path, and refuses it unless it lies below the folders of the process. The path
// may begin with the name of a folder. The name that inFolders returns does so; documents are named by it, because
// only the owner of the process sees where its folders lie.
func (m *Manager) inFolders(path string) (real, name string, err error) {
	if strings.ContainsRune(path, 0) {
		return "", "", badRequest("a path must not contain zero bytes")
	}
	folders := slices.Concat(m.cfg.Folders, m.cfg.Files)
	names := files.ShortNames(folders)
	real, ok := NamedPath(path, folders, names)
	if !ok {
		real, err = filepath.Abs(path)
	}
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err == nil {
		for i, folder := range folders {
			root, rerr := filepath.EvalSymlinks(folder)
			if rerr != nil {
				continue
			}
			if rel, rerr := filepath.Rel(root, real); rerr == nil && filepath.IsLocal(rel) {
				return real, filepath.Join(names[i], rel), nil
			}
		}
	}
	// Do not reveal whether a file outside exists.
	return "", "", &Error{Code: OutOfReach, Message: path + " is not in a folder that the server was started with"}
}

// NamedPath returns the path that one with the name of a folder in front stands for; ok is false if it has none.
func NamedPath(path string, folders, names []string) (real string, ok bool) {
	for i, name := range names {
		if rel, err := filepath.Rel(name, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(folders[i], rel), true
		}
	}
	return "", false
}
