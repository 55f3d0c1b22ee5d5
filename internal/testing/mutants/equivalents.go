package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// equivalents are the mutants of a room that behave like the original code, by file, type and source line.
type equivalents struct {
	lines map[[3]string]string // lines as written in the list
	used  map[[3]string]bool
}

// readEquivalents reads a room's list; without a list there are no equivalents.
func readEquivalents(room string) (*equivalents, error) {
	list := &equivalents{lines: map[[3]string]string{}, used: map[[3]string]bool{}}
	text, err := os.ReadFile(filepath.Join(room, "testdata", "mutants.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the equivalents of %s: %w", room, err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		// The source line may contain bars itself: the first two bars and the last one separate the fields.
		file, rest, _ := strings.Cut(line, " | ")
		kind, rest, ok := strings.Cut(rest, " | ")
		last := strings.LastIndex(rest, " | ")
		if !ok || last < 0 || strings.TrimSpace(rest[last+3:]) == "" {
			return nil, fmt.Errorf("equivalents of %s: %q is not FILE | TYPE | source line | reason", room, line)
		}
		list.lines[[3]string{file, kind, rest[:last]}] = line
	}
	return list, nil
}

// explain reports whether the list gives a reason for a mutant.
func (e *equivalents) explain(m *mutant) bool {
	key := [3]string{m.File, m.Type, m.Source}
	if _, ok := e.lines[key]; !ok {
		return false
	}
	e.used[key] = true
	return true
}

// unused returns the lines of the list that explained no mutant, because the mutant was killed or its source line
// has changed.
func (e *equivalents) unused() (lines []string) {
	for key, line := range e.lines {
		if !e.used[key] {
			lines = append(lines, line)
		}
	}
	return lines
}
