package chat

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// historyKept is the number of entries to keep. The file is shortened to it once it has more than twice as many.
const historyKept = 1000

// history is what a person has typed, across sessions. Its file has one JSON string per line, newest last. Moving
// up and down through it keeps the current draft.
type history struct {
	path    string
	entries []string
	at      int    // index of the entry that the input shows; len(entries) means the draft
	draft   string // the input before moving up
}

// openHistory reads the history from a file; an empty path means that it stays in memory. The history is usable
// even after an error, which is meant as a warning.
func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	err := h.read()
	h.at = len(h.entries)
	return h, err
}

func (h *history) read() error {
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the input history: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the input history: %w", err)
	}
	if len(h.entries) > 2*historyKept {
		h.entries = h.entries[len(h.entries)-historyKept:]
		return h.rewrite()
	}
	return nil
}

func (h *history) rewrite() error {
	tmp := h.path + ".new"
	var text []byte
	for _, e := range h.entries {
		text = append(text, historyLine(e)...)
	}
	if err := os.WriteFile(tmp, text, 0o600); err != nil {
		return fmt.Errorf("shortening the input history: %w", err)
	}
	return os.Rename(tmp, h.path)
}

func historyLine(entry string) []byte {
	line, _ := json.Marshal(entry) // a string always marshals
	return append(line, '\n')
}

// add appends an entry, unless it repeats the last one, and returns to the draft.
func (h *history) add(entry string) error {
	defer func() { h.at, h.draft = len(h.entries), "" }()
	if n := len(h.entries); n > 0 && h.entries[n-1] == entry {
		return nil
	}
	h.entries = append(h.entries, entry)
	if h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return fmt.Errorf("saving the input history: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("saving the input history: %w", err)
	}
	_, err = f.Write(historyLine(entry))
	return errors.Join(err, f.Close())
}

// up returns the entry before the one that is shown. current is the text of the input.
func (h *history) up(current string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = current
	}
	h.at--
	return h.entries[h.at], true
}

// down returns the entry after the one that is shown, and finally the draft.
func (h *history) down() (string, bool) {
	if h.at >= len(h.entries) {
		return "", false
	}
	h.at++
	if h.at == len(h.entries) {
		return h.draft, true
	}
	return h.entries[h.at], true
}

// search returns the newest entry with an index below before that contains query, ignoring case.
func (h *history) search(query string, before int) (at int, ok bool) {
	query = strings.ToLower(query)
	for at = min(before, len(h.entries)) - 1; at >= 0; at-- {
		if strings.Contains(strings.ToLower(h.entries[at]), query) {
			return at, true
		}
	}
	return 0, false
}
