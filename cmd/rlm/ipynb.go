package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/termination/reply"
)

// cellsOfNotebook are the code cells of a Jupyter notebook. One of another language, as the notebook or the cell says, is not run.
func cellsOfNotebook(text string) (reply.Reply, error) {
	var nb struct {
		Format   int `json:"nbformat"`
		Metadata struct {
			Language struct{ Name string }     `json:"language_info"`
			Kernel   struct{ Language string } `json:"kernelspec"`
		}
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		}
	}
	if err := json.Unmarshal([]byte(text), &nb); err != nil {
		return reply.Reply{}, fmt.Errorf("it is no Jupyter notebook: %w", err)
	}
	if nb.Format != 4 {
		return reply.Reply{}, fmt.Errorf("its format is %d, and 4 is read here", nb.Format)
	}
	for _, lang := range []string{nb.Metadata.Language.Name, nb.Metadata.Kernel.Language} {
		if lang != "" && !strings.EqualFold(lang, reply.CellTag) {
			return reply.Reply{}, fmt.Errorf("its cells are %s, not Go", lang)
		}
	}
	var out reply.Reply
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		source, err := sourceOf(c.Source)
		if err != nil {
			return reply.Reply{}, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if strings.TrimSpace(source) != "" {
			out.Cells = append(out.Cells, reply.Cell{Source: source, Lang: reply.CellTag, Line: 1})
		}
	}
	if len(out.Cells) == 0 {
		return out, errors.New("it has no code cell")
	}
	return out, nil
}

// sourceOf reads a source, which is one text or a list of lines.
func sourceOf(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return "", errors.New("its source is neither text nor lines")
	}
	return strings.Join(lines, ""), nil
}
