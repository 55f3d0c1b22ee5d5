package session

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Person is a user of sessions. The owner of the data folder sees all sessions; others see their own and shared
// ones.
type Person struct {
	Name  string
	Owner bool
	// Identity distinguishes successive users of the same name; empty for the owner.
	Identity string
}

// Scope returns the key of a person in what is stored of them. A later user of the same name has another one.
func (p Person) Scope() string {
	if p.Identity == "" {
		return p.Name
	}
	return p.Name + "/" + p.Identity
}

// OwnerName is the name under which other users see the owner of the data folder.
const OwnerName = "owner"

// Terminal is the name of the owner when using the session from another terminal.
const Terminal = "another terminal"

// SocketOf returns the path of the socket on which the process that has a session open shares it with other
// processes of the same user. dir is the folder of the session's log.
func SocketOf(dir string) string { return filepath.Join(dir, "socket") }

// ownership records the owner of a session. A session without an entry belongs to the owner of the data folder.
type ownership struct {
	Owner  string `json:"owner,omitempty"`
	Who    string `json:"who,omitempty"` // the owner's identity; empty in older files
	Shared bool   `json:"shared,omitempty"`
	// Guests are the bytes on disk that others added to the session, by their scopes.
	Guests map[string]int64 `json:"guests,omitempty"`
}

// isOf reports whether a person is the owner of the session, and not merely a later user with the owner's name.
func (s ownership) isOf(who Person) bool {
	return s.Owner == who.Name && (s.Who == "" || s.Who == who.Identity)
}

// belongsTo is isOf also for the owner of the data folder.
func (s ownership) belongsTo(who Person) bool {
	if s.Owner == "" {
		return who.Owner
	}
	return s.isOf(who)
}

// owners records the owners of sessions.
type owners struct {
	file string

	mu  sync.Mutex
	all map[string]ownership // by id
}

func openOwners(dataDir string) (*owners, error) {
	o := &owners{file: filepath.Join(dataDir, "server-sessions.json"), all: map[string]ownership{}}
	if err := files.ReadJSON(o.file, &o.all); err != nil {
		return nil, fmt.Errorf("read the owners of the sessions: %w", err)
	}
	return o, nil
}

func (o *owners) of(id string) ownership {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// May reports whether a person may see and use a session.
func (m *Manager) May(who Person, id string) bool {
	s := m.owners.of(id)
	return who.Owner || s.Shared || s.isOf(who)
}

// seenBy returns the sessions that a user other than the owner of the data folder may see.
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

// Dismiss stops the tasks of a user who was removed.
func (m *Manager) Dismiss(who Person) {
	for _, l := range m.list() {
		l.mu.Lock()
		if l.task != nil && l.task.who == who {
			l.task.cancel(ErrStopped)
		}
		l.mu.Unlock()
	}
}

// count returns the number of a person's sessions.
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

// set records the owner of a session.
func (o *owners) set(id string, s ownership) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if reflect.DeepEqual(s, o.all[id]) {
		return nil
	}
	if o.all[id] = s; reflect.DeepEqual(s, ownership{}) {
		delete(o.all, id)
	}
	if err := files.ReplaceJSON(o.file, o.all); err != nil {
		return fmt.Errorf("save the owner of the session: %w", err)
	}
	return nil
}
