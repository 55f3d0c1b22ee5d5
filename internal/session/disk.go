package session

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ArrivingPrefix begins the names of folders, in the folder of a session, with files that are arriving. Arriving counts
// these, and not the size of the session.
const ArrivingPrefix = "upload-"

// Arriving reserves disk space for files that are arriving, so that those that arrive at the same time do not all get
// the same rest of a person's quota.
type Arriving struct {
	manager *Manager
	who     Person
	bytes   int64
	pending int64 // bytes of a body that came in and are not yet reserved
}

// arrivals are the bytes reserved by Arriving.
type arrivals struct {
	mu sync.Mutex
	of map[string]int64 // by the scope of a person
}

// Arrive reserves space for files of a person.
func (m *Manager) Arrive(who Person, bytes int64) (*Arriving, error) {
	a := &Arriving{manager: m, who: who}
	return a, a.Grow(bytes)
}

// Grow reserves more space. The error has the code TooLarge.
func (a *Arriving) Grow(bytes int64) error {
	if !a.manager.bounded(a.who) || bytes <= 0 {
		return nil
	}
	all := &a.manager.arriving
	all.mu.Lock()
	defer all.mu.Unlock()
	if err := a.manager.roomFor(a.who, all.of[a.who.Scope()], bytes); err != nil {
		return err
	}
	a.bytes += bytes
	all.of[a.who.Scope()] += bytes
	return nil
}

// Body returns the body of a request with files. If its length is unknown (-1), space is reserved as it arrives.
func (a *Arriving) Body(body io.ReadCloser, length int64) io.ReadCloser {
	if length >= 0 || !a.manager.bounded(a.who) {
		return body
	}
	return &arrivingBody{body, a}
}

// Settle reserves space for what came in of a body of unknown length. A form may end before its body is known to.
func (a *Arriving) Settle() error {
	err := a.Grow(a.pending)
	if err == nil {
		a.pending = 0
	}
	return err
}

type arrivingBody struct {
	io.ReadCloser
	of *Arriving
}

// arrivingPiece is the number of bytes of which the reader of a body keeps account at a time.
const arrivingPiece = 256 << 10

func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.of.pending += int64(n); b.of.pending >= arrivingPiece || err != nil {
		if full := b.of.Settle(); full != nil {
			return 0, full
		}
	}
	return n, err
}

// End ends the reservation: the files have become part of a session or of another store, or were deleted.
func (a *Arriving) End() {
	all := &a.manager.arriving
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of[a.who.Scope()] -= a.bytes; all.of[a.who.Scope()] == 0 {
		delete(all.of, a.who.Scope())
	}
	a.bytes = 0
}

// RoomFor returns an error if a person's disk quota has no room for more bytes. Growth during a cell or an answer
// counts at the next call.
func (m *Manager) RoomFor(who Person, more int64) error {
	if !m.bounded(who) {
		return nil
	}
	m.arriving.mu.Lock()
	defer m.arriving.mu.Unlock()
	return m.roomFor(who, m.arriving.of[who.Scope()], more)
}

// bounded reports whether a person has a disk quota.
func (m *Manager) bounded(who Person) bool {
	return !who.Owner && m.cfg.Limits != nil && m.cfg.Limits(who.Name).Disk > 0
}

func (m *Manager) roomFor(who Person, arriving, more int64) error {
	used, most := arriving, m.cfg.Limits(who.Name).Disk
	if m.cfg.Stored != nil {
		used += m.cfg.Stored(who)
	}
	own, elsewhere := m.owners.sizes(who)
	used += elsewhere
	for id, others := range own {
		dir, err := trajectory.Find(m.cfg.Runner.RunsDir(), id)
		if err == nil {
			used += max(0, sizeOf(dir)-others)
		}
	}
	if used+more > most {
		return &Error{
			Code: TooLarge,
			Message: fmt.Sprintf("your sessions and files use %s of your %s on disk, and this needs %s more: delete some",
				units.Binary(used), units.Binary(most), units.Binary(max(more, 0))),
		}
	}
	return nil
}

// sizeOf returns the total size of the readable files of a session's folder in bytes.
func sizeOf(dir string) (sum int64) {
	_ = fs.WalkDir(os.DirFS(filepath.Dir(dir)), filepath.Base(dir), func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && strings.HasPrefix(d.Name(), ArrivingPrefix):
			return fs.SkipDir
		case d.Type().IsRegular():
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// counted does something in a session. What it adds to the size of another's session counts for who does it.
func (m *Manager) counted(l *Session, who Person, do func() error) error {
	if m.cfg.Limits == nil || m.owners.of(l.id).belongsTo(who) {
		return do()
	}
	before := sizeOf(l.dir)
	err := do()
	if grown := sizeOf(l.dir) - before; grown > 0 {
		if saved := m.owners.charge(l.id, who, grown); err == nil {
			err = saved
		}
	}
	return err
}

// charge counts bytes of a session for a person who does not own it.
func (o *owners) charge(id string, who Person, bytes int64) error {
	whose := o.of(id)
	whose.Guests = maps.Clone(whose.Guests)
	if whose.Guests == nil {
		whose.Guests = map[string]int64{}
	}
	whose.Guests[who.Scope()] += bytes
	return o.set(id, whose)
}

// sizes returns the ids of a person's sessions, each with the bytes that others added to it, and the bytes that the
// person added to sessions of others.
func (o *owners) sizes(who Person) (own map[string]int64, elsewhere int64) {
	own = map[string]int64{}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, s := range o.all {
		if !s.isOf(who) {
			elsewhere += s.Guests[who.Scope()]
			continue
		}
		own[id] = 0
		for bytes := range maps.Values(s.Guests) {
			own[id] += bytes
		}
	}
	return own, elsewhere
}
