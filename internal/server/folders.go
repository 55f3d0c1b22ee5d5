package server

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type folderRequest struct {
	Path string `json:"path"`
}

// Folder is what is in a folder from which files can be added.
type Folder struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"entries"`
	More    bool    `json:"more"` // there are more than are listed
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

// folder lists a folder below those that the server was started with; without a path these themselves. Hidden files and links that lead out of
// them are left out.
func (s *Server) folder(r *request, in folderRequest) (Folder, error) {
	if in.Path == "" {
		out := Folder{Entries: []Entry{}}
		if r.who.Owner {
			for _, f := range s.cfg.Folders {
				out.Entries = append(out.Entries, Entry{Name: f, Path: f, Folder: true})
			}
		}
		return out, nil
	}
	real, err := s.inFolders(in.Path)
	if err != nil {
		return Folder{}, err
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return Folder{}, badRequest(in.Path + " is not a folder that can be read")
	}
	out := Folder{Path: real, Entries: []Entry{}}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(out.Entries) == mostEntries {
			out.More = true
			break
		}
		path, err := s.inFolders(filepath.Join(real, e.Name()))
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		out.Entries = append(out.Entries, Entry{e.Name(), filepath.Join(real, e.Name()), info.IsDir(), info.Size(), info.ModTime()})
	}
	slices.SortStableFunc(out.Entries, func(a, b Entry) int {
		if a.Folder != b.Folder {
			if a.Folder {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return out, nil
}

// inFolders is a path below the server's folders, its links followed.
func (s *Server) inFolders(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", badRequest("a path has no zero bytes")
	}
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err == nil {
		for _, folder := range s.cfg.Folders {
			root, rerr := filepath.EvalSymlinks(folder)
			if rerr != nil {
				continue
			}
			if rel, rerr := filepath.Rel(root, real); rerr == nil && filepath.IsLocal(rel) {
				return real, nil
			}
		}
	}
	// Whether a file outside is there is nobody's business.
	return "", &failure{http.StatusForbidden, "path", path + " is not in the folders that the server was started with", nil}
}
