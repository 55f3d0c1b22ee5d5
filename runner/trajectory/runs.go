package trajectory

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// DataDir is the folder for programs' data: RLM_DATA_DIR, else XDG_DATA_HOME, else the folder of the platform:
// ~/.local/share, ~/Library/Application Support or %LocalAppData%.
func DataDir() (string, error) {
	for _, name := range []string{"RLM_DATA_DIR", "XDG_DATA_HOME"} {
		dir := os.Getenv(name)
		if rest, ok := strings.CutPrefix(dir, "~/"); ok { // the variable may come from a file that no shell expands
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("find the folder %s of %s: %w", dir, name, err)
			}
			dir = filepath.Join(home, rest)
		}
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // %LocalAppData%
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for runs: %w: set RLM_DATA_DIR", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}

// RunsDir is the folder below a data folder that contains a folder for each run.
func RunsDir(dataDir string) string { return filepath.Join(dataDir, "rlm", "runs") }

// Run ids are 7 characters of time, in 32nds of a second since 2026, and 3 random ones, all from Crockford's
// alphabet: they sort by time, have no letters that look like digits, and are typed in lower case.
const (
	idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	idTime     = 7
	idChance   = 3
)

var idEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// New creates the folder and the log of a new run below the folder for runs. The id is the folder's name.
func New(runs string) (id, dir string, log *Log, err error) {
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return "", "", nil, fmt.Errorf("create the folder for runs: %w", err)
	}
	for {
		id = NewID(time.Now())
		dir = filepath.Join(runs, id)
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", "", nil, fmt.Errorf("create the run's folder: %w", err)
		}
		if log, err = Create(dir, nil); err != nil {
			for _, name := range []string{logFile, textsFile, lockFile, ""} { // RemoveAll needs handles to spare
				_ = os.Remove(filepath.Join(dir, name))
			}
		}
		return id, dir, log, err
	}
}

// NewID returns an id for a run that begins at now, for callers that need the id before the run begins. Ids for
// the same moment may collide.
func NewID(now time.Time) string {
	n := uint64(now.Sub(idEpoch) / (time.Second / 32))
	var chance [8]byte
	rand.Read(chance[:]) // never fails
	n = n<<(5*idChance) | binary.LittleEndian.Uint64(chance[:])&(1<<(5*idChance)-1)
	id := make([]byte, idTime+idChance)
	for i := range slices.Backward(id) {
		id[i] = idAlphabet[n%32]
		n /= 32
	}
	return string(id)
}

// NotFoundError means that an id as typed matches no run, or more than one.
type NotFoundError struct {
	Typed   string
	Dir     string
	Matches []string // ids, newest first, if there are several
}

func (e *NotFoundError) Error() string {
	if len(e.Matches) == 0 {
		return fmt.Sprintf("there is no run %q in %s: 'rlm ls' lists the runs", e.Typed, e.Dir)
	}
	const most = 5
	shown := strings.Join(e.Matches[:min(most, len(e.Matches))], ", ")
	if len(e.Matches) > most {
		shown += ", …"
	}
	return fmt.Sprintf("%q matches %d runs (%s): type more of the id", e.Typed, len(e.Matches), shown)
}

// Find returns the folder of a run by its id, its prefix, or (because ids of one day start alike) at least three
// characters of its end. It ignores case, and takes o for 0, and i or l for 1. The error is a *NotFoundError unless
// exactly one run matches.
func Find(runs, typed string) (dir string, err error) {
	ids, err := listIDs(runs)
	if err != nil {
		return "", err
	}
	want := strings.NewReplacer("o", "0", "i", "1", "l", "1").Replace(strings.ToLower(strings.TrimSpace(typed)))
	matching := func(match func(id string) bool) (found []string) {
		for _, id := range ids {
			if match(id) {
				found = append(found, id)
			}
		}
		return found
	}
	found := matching(func(id string) bool { return id == want || id == typed })
	if len(found) == 0 && want != "" {
		found = matching(func(id string) bool { return strings.HasPrefix(id, want) })
	}
	if len(found) == 0 && len(want) >= idChance {
		found = matching(func(id string) bool { return strings.HasSuffix(id, want) })
	}
	if len(found) != 1 {
		return "", &NotFoundError{Typed: typed, Dir: runs, Matches: found}
	}
	return filepath.Join(runs, found[0]), nil
}

// listIDs returns the names of folders with a log, newest first.
func listIDs(runs string) ([]string, error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	var ids []string
	for _, e := range slices.Backward(entries) {
		if _, err := os.Lstat(filepath.Join(runs, e.Name(), logFile)); err == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}
