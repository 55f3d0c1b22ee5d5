package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/gorlm/rlm/internal/wholefile"
)

// owned says whose a session is. One that is not in the file is the owner's of the data folder.
type owned struct {
	Owner  string `json:"owner,omitempty"`
	Shared bool   `json:"shared,omitempty"`
}

// owners knows whose the sessions are.
type owners struct {
	file string

	mu  sync.Mutex
	all map[string]owned // by id
}

func openOwners(dataDir string) (*owners, error) {
	o := &owners{file: filepath.Join(dataDir, "server-sessions.json"), all: map[string]owned{}}
	b, err := os.ReadFile(o.file)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &o.all)
	}
	if err != nil {
		return nil, fmt.Errorf("read whose the sessions are: %w", err)
	}
	return o, nil
}

func (o *owners) of(id string) owned {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// may reports whether somebody may see and use a session.
func (o *owners) may(who Person, id string) bool {
	s := o.of(id)
	return who.Owner || s.Shared || s.Owner == who.Name
}

// seenBy are the sessions in the file that somebody may see.
func (o *owners) seenBy(who Person) map[string]bool {
	seen := map[string]bool{}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, s := range o.all {
		if s.Shared || s.Owner == who.Name {
			seen[id] = true
		}
	}
	return seen
}

// count is how many sessions somebody has.
func (o *owners) count(name string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range maps.Values(o.all) {
		if s.Owner == name {
			n++
		}
	}
	return n
}

// set says whose a session is.
func (o *owners) set(id string, s owned) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s == o.all[id] {
		return nil
	}
	if o.all[id] = s; s == (owned{}) {
		delete(o.all, id)
	}
	b, err := json.Marshal(o.all)
	if err == nil {
		err = wholefile.Replace(o.file, b)
	}
	if err != nil {
		return fmt.Errorf("keep whose the session is: %w", err)
	}
	return nil
}
