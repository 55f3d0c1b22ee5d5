package names

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/pelletier/go-toml/v2"
)

// KeyFile is a file with the keys of providers and profiles that only its owner may read. It is read when the
// first key is needed.
type KeyFile struct {
	path string
	once sync.Once
	keys map[string]string
	err  error
}

// NewKeyFile returns a file of keys, which need not exist.
func NewKeyFile(path string) *KeyFile { return &KeyFile{path: path} }

// Path returns the path of the file.
func (f *KeyFile) Path() string { return f.path }

// Get returns the key stored under a name; empty if there is none. It is an error if others may read the file.
func (f *KeyFile) Get(name string) (llm.Secret, error) {
	f.once.Do(f.read)
	return llm.NewSecret(f.keys[name]), f.err
}

// Names lists the names under which keys are stored.
func (f *KeyFile) Names() ([]string, error) {
	f.once.Do(f.read)
	return slices.Sorted(maps.Keys(f.keys)), f.err
}

// Set stores a key. The file is replaced as a whole, or not at all.
func (f *KeyFile) Set(name string, key llm.Secret) error {
	if strings.ContainsFunc(key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) || key.Empty() {
		return errors.New("that is not a key: it is empty or contains invalid characters")
	}
	return f.change(func() bool {
		if f.keys == nil {
			f.keys = map[string]string{}
		}
		f.keys[name] = key.Reveal()
		return true
	})
}

// Remove deletes a key. It reports whether there was one.
func (f *KeyFile) Remove(name string) (was bool, err error) {
	err = f.change(func() bool {
		_, was = f.keys[name]
		delete(f.keys, name)
		return was
	})
	return was, err
}

// change updates the file's present keys while no other process does.
func (f *KeyFile) change(do func() bool) error {
	err := files.Alone(f.path, func() error {
		f.once.Do(func() {}) // an earlier read may be outdated
		f.keys, f.err = nil, nil
		if f.read(); f.err != nil || !do() {
			return nil
		}
		text, err := toml.Marshal(f.keys)
		if err != nil {
			return err
		}
		return files.Replace(f.path, text)
	})
	if err != nil {
		return fmt.Errorf("storing the key: %w", err)
	}
	return f.err
}

func (f *KeyFile) read() {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.err = fmt.Errorf("%s contains keys and can be read by others: chmod 600 %s", f.path, f.path)
		return
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(f.path)
	}
	if err != nil {
		f.err = fmt.Errorf("reading the stored keys: %w", err)
		return
	}
	text, err := decoding.Text(bytes.NewReader(data))
	if err != nil || toml.Unmarshal([]byte(text), &f.keys) != nil { // the error quotes the line, which contains a key
		f.err = fmt.Errorf("%s is damaged: it must have a line per key, name = \"key\"", f.path)
	}
}
