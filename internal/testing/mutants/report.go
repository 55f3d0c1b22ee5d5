package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change that gremlins made to a room, and its outcome.
type mutant struct {
	File         string
	Type         string
	Status       string
	Line, Column int
	Source       string // the changed line, without indentation
}

// readReport reads the mutants from the report that gremlins wrote for a room (-o).
func readReport(room, file string) ([]mutant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	var report struct {
		Files []struct {
			Name      string   `json:"file_name"`
			Mutations []mutant `json:"mutations"`
		} `json:"files"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("read the report %s: %w", file, err)
	}
	var all []mutant
	for _, f := range report.Files {
		source, err := os.ReadFile(filepath.Join(room, f.Name))
		if err != nil {
			return nil, fmt.Errorf("read a file of the report: %w", err)
		}
		lines := strings.Split(string(source), "\n")
		for _, m := range f.Mutations {
			if m.Line < 1 || m.Line > len(lines) {
				return nil, fmt.Errorf("%s has no line %d: the report is of another state of the room", f.Name, m.Line)
			}
			m.File, m.Source = f.Name, strings.TrimSpace(lines[m.Line-1])
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the report %s holds no mutants", file)
	}
	return all, nil
}
