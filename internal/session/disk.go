package session

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// RoomFor returns an error if a person's disk quota has no room for more bytes beside their sessions and others
// bytes of other files. Growth during a cell or an answer counts at the next call.
func (m *Manager) RoomFor(who Person, others, more int64) error {
	if who.Owner || m.cfg.Limits == nil {
		return nil
	}
	most := m.cfg.Limits(who.Name).Disk
	if most <= 0 {
		return nil
	}
	used := others
	for _, id := range m.owners.idsOf(who) {
		dir, err := trajectory.Find(m.cfg.Runner.RunsDir(), id)
		if err == nil {
			used += sizeOf(dir)
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

// sizeOf returns the total size of the readable files of a folder in bytes.
func sizeOf(dir string) (sum int64) {
	_ = fs.WalkDir(os.DirFS(filepath.Dir(dir)), filepath.Base(dir), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// idsOf returns the ids of a person's sessions.
func (o *owners) idsOf(who Person) (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, s := range o.all {
		if s.isOf(who) {
			all = append(all, id)
		}
	}
	return all
}
