package session

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Person is somebody who works at sessions. The owner of the data folder sees all sessions, others see their
// own and those that are shared.
type Person struct {
	Name  string
	Owner bool
	// Identity tells apart those who had the name one after the other; empty for the owner.
	Identity string
}

// OwnerName is what the owner of the data folder is called in what others see.
const OwnerName = "owner"

// Terminal is what a person is called to others who share a session of a terminal: it is the same person.
const Terminal = "another terminal"

// SocketOf is where the process that has a session open shares it with others of the same user; dir is the folder of its log.
func SocketOf(dir string) string { return filepath.Join(dir, "socket") }

// ownership says whose a session is. One that is not in the file is the owner's of the data folder.
type ownership struct {
	Owner  string `json:"owner,omitempty"`
	Who    string `json:"who,omitempty"` // the owner's identity; empty in older files
	Shared bool   `json:"shared,omitempty"`
}

// isOf reports whether somebody is the owner: who has the name now, and not another one who had it.
func (s ownership) isOf(who Person) bool {
	return s.Owner == who.Name && (s.Who == "" || s.Who == who.Identity)
}

// owners knows whose the sessions are.
type owners struct {
	file string

	mu  sync.Mutex
	all map[string]ownership // by id
}

func openOwners(dataDir string) (*owners, error) {
	o := &owners{file: filepath.Join(dataDir, "server-sessions.json"), all: map[string]ownership{}}
	if err := files.ReadJSON(o.file, &o.all); err != nil {
		return nil, fmt.Errorf("read whose the sessions are: %w", err)
	}
	return o, nil
}

func (o *owners) of(id string) ownership {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// May reports whether somebody may see and use a session.
func (m *Manager) May(who Person, id string) bool {
	s := m.owners.of(id)
	return who.Owner || s.Shared || s.isOf(who)
}

// seenBy are the sessions in the file that somebody may see.
func (m *Manager) seenBy(who Person) map[string]bool {
	o, seen := m.owners, map[string]bool{}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, s := range o.all {
		if s.Shared || s.isOf(who) {
			seen[id] = true
		}
	}
	return seen
}

// Dismiss stops what a user began who was removed.
func (m *Manager) Dismiss(who Person) {
	for _, l := range m.list() {
		if l.State().By == who.Name {
			l.Stop()
		}
	}
}

// count is how many sessions somebody has.
func (o *owners) count(who Person) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range maps.Values(o.all) {
		if s.isOf(who) {
			n++
		}
	}
	return n
}

// set says whose a session is.
func (o *owners) set(id string, s ownership) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s == o.all[id] {
		return nil
	}
	if o.all[id] = s; s == (ownership{}) {
		delete(o.all, id)
	}
	if err := files.ReplaceJSON(o.file, o.all); err != nil {
		return fmt.Errorf("keep whose the session is: %w", err)
	}
	return nil
}
