package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
)

// User is a named user of the servers of a data folder.
type User struct {
	Name  string    `json:"name"`
	Hash  string    `json:"hash"` // SHA-256 of the token, in hexadecimal
	Added time.Time `json:"added"`
	session.Limits
}

// Limits are a user's limits, such as the cost per day and the number of concurrent runs; 0 means no limit.
type Limits = session.Limits

// Users are the named users of a data folder, in a file that only the owner of the folder can read. A running
// server notices changes of the file.
type Users struct {
	file string

	mu   sync.Mutex
	all  []User
	seen fileState
	gone []session.Person // removed users that leavers has not returned yet
}

type fileState struct {
	size int64
	time time.Time
}

// OpenUsers opens the users of a data folder.
func OpenUsers(dataDir string) *Users {
	return &Users{file: filepath.Join(dataDir, "server-users.json")}
}

// List returns the users, ordered by name.
func (u *Users) List() ([]User, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := u.refresh()
	return slices.Clone(u.all), err
}

// Add adds a user and returns the token, which is not stored.
func (u *Users) Add(name string, limits Limits, now time.Time) (token string, err error) {
	if !userName(name) {
		return "", fmt.Errorf("a user name must have 1 to 32 letters, digits, - and _, and must not be %q: not %q",
			session.OwnerName, name)
	}
	if limits.CostPerDay < 0 || limits.Runs < 0 || limits.Cells < 0 || limits.Disk < 0 {
		return "", errors.New("limits must be positive numbers")
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.refresh(); err != nil {
		return "", err
	}
	if slices.ContainsFunc(u.all, func(o User) bool { return strings.EqualFold(o.Name, name) }) {
		return "", fmt.Errorf("user %s already exists; 'rlm serve users rm %s' removes it", name, name)
	}
	token = secret()
	u.all = append(u.all, User{Name: name, Hash: hashed(token), Added: now.UTC().Truncate(time.Second), Limits: limits})
	slices.SortFunc(u.all, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return token, u.save()
}

// Remove removes a user and so revokes the token. The user's sessions remain.
func (u *Users) Remove(name string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.refresh(); err != nil {
		return err
	}
	n := len(u.all)
	u.all = slices.DeleteFunc(u.all, func(o User) bool { return o.Name == name })
	if len(u.all) == n {
		return fmt.Errorf("there is no user %q", name)
	}
	return u.save()
}

func userName(name string) bool {
	return name != "" && len(name) <= 32 && !strings.EqualFold(name, session.OwnerName) &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// of returns the user of a token. It compares the token with those of all users, in constant time.
func (u *Users) of(token string) (who session.Person, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.refresh() != nil {
		return session.Person{}, false
	}
	sum := sha256.Sum256([]byte(token))
	for _, user := range u.all {
		want, err := hex.DecodeString(user.Hash)
		if err == nil && subtle.ConstantTimeCompare(sum[:], want) == 1 {
			who, ok = user.person(), true
		}
	}
	return who, ok
}

// identity distinguishes the user from others of the same name. The token cannot be derived from it.
func (u User) identity() string { return hashed("identity " + u.Hash)[:16] }

func (u User) person() session.Person {
	return session.Person{Name: u.Name, Identity: u.identity()}
}

// has reports whether a person is still a user.
func (u *Users) has(who session.Person) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.refresh() == nil && slices.ContainsFunc(u.all, func(o User) bool { return o.person() == who })
}

// limits returns the limits of the named user.
func (u *Users) limits(name string) Limits {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.IndexFunc(u.all, func(o User) bool { return o.Name == name }); i >= 0 {
		return u.all[i].Limits
	}
	return Limits{}
}

// refresh reads the file if it has changed since the last time. The caller holds mu.
func (u *Users) refresh() error {
	info, err := os.Stat(u.file)
	if errors.Is(err, fs.ErrNotExist) {
		u.replace(nil, fileState{})
		return nil
	}
	if err == nil && u.seen == (fileState{info.Size(), info.ModTime()}) {
		return nil
	}
	var all []User
	if err == nil {
		err = files.ReadJSON(u.file, &all)
	}
	if err != nil {
		return fmt.Errorf("read the server's users: %w", err)
	}
	u.replace(all, fileState{info.Size(), info.ModTime()})
	return nil
}

// replace stores the users read from the file; seen is the state that the file had then. The caller holds mu.
func (u *Users) replace(all []User, seen fileState) {
	for _, was := range u.all {
		if !slices.ContainsFunc(all, func(o User) bool { return o.person() == was.person() }) {
			u.gone = append(u.gone, was.person())
		}
	}
	u.all, u.seen = all, seen
}

// leavers returns the users who were removed since the last call.
func (u *Users) leavers() []session.Person {
	u.mu.Lock()
	defer u.mu.Unlock()
	_ = u.refresh() // if the file cannot be read, nobody has access anyway
	gone := u.gone
	u.gone = nil
	return gone
}

func (u *Users) save() error {
	if err := files.ReplaceJSON(u.file, u.all); err != nil {
		return fmt.Errorf("save the server's users: %w", err)
	}
	u.seen = fileState{}
	return nil
}
