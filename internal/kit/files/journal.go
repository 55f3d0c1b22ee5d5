package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// Journal is a file of JSON lines, of which only the last one for each key counts. A line that a crash left half
// written is dropped. Set its fields, then Open it. It is safe for concurrent use.
type Journal[K comparable, V any] struct {
	Key    func(V) K
	Counts func(V) bool // a line that does not count is dropped when the file is read
	Gone   func(V) bool // the line deletes its key; if nil, no line does
	Most   int          // lines kept when the file is read: the newest
	Sync   bool         // Put returns once the line is on disk

	mu    sync.Mutex
	name  string
	file  *os.File
	lines int
	all   map[K]V
}

// oftener is how many lines more than Most a file may have before it is rewritten.
const oftener = 1000

// Open reads a file, which is created if it is missing, and returns the values that count, in order. The caller
// must close the journal.
func (j *Journal[K, V]) Open(name string) ([]V, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.name = name
	return j.renew()
}

// renew reads the file and rewrites it with the lines that count. The caller holds mu.
func (j *Journal[K, V]) renew() ([]V, error) {
	b, err := os.ReadFile(j.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []V
	for line := range bytes.Lines(b) {
		var v V
		if json.Unmarshal(line, &v) == nil && j.Counts(v) {
			all = append(all, v)
		}
	}
	all = all[max(0, len(all)-j.Most):]
	last := map[K]int{}
	for i, v := range all {
		last[j.Key(v)] = i
	}
	j.all = map[K]V{}
	var left []V
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	for i, v := range all {
		if last[j.Key(v)] != i || j.gone(v) {
			continue
		}
		if err := to.Encode(v); err != nil {
			return nil, err
		}
		left, j.all[j.Key(v)] = append(left, v), v
	}
	if err := Replace(j.name, lines.Bytes()); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(j.name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if j.file != nil {
		err = j.file.Close()
	}
	j.file, j.lines = file, len(left)
	return left, err
}

func (j *Journal[K, V]) gone(v V) bool { return j.Gone != nil && j.Gone(v) }

// Get returns the current value of a key.
func (j *Journal[K, V]) Get(key K) (V, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	v, ok := j.all[key]
	return v, ok
}

// Put appends a line.
func (j *Journal[K, V]) Put(v V) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err = j.file.Write(append(line, '\n')); err == nil && j.Sync {
		err = j.file.Sync()
	}
	if err != nil {
		return err
	}
	if j.all[j.Key(v)] = v; j.gone(v) {
		delete(j.all, j.Key(v))
	}
	if j.lines++; j.lines > j.Most+oftener {
		_, err = j.renew()
	}
	return err
}

// Close closes the file.
func (j *Journal[K, V]) Close() error { return j.file.Close() }
