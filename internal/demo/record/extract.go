package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner/trajectory"
)

// call is the key of a sub-call in a trajectory.
type call struct {
	path string
	cell int
	hash string
	n    int
}

// extract writes the recording of a run: the replies of its model, from the run's folder. Failed calls are left
// out.
func extract(dir string, w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	prompts := map[call]string{}
	turns := map[string]int{}
	for ev, err := range trajectory.Read(dir) {
		if err != nil {
			return fmt.Errorf("read the run in %s: %w", dir, err)
		}
		var line demo.Reply
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if ev.Path != "" {
				continue
			}
			line = demo.Reply{Model: d.Model}
		case trajectory.ReplyReceived:
			turns[ev.Path]++
			line = demo.Reply{Path: ev.Path, Turn: turns[ev.Path], Content: d.Content.String()}
		case trajectory.SubCallStarted:
			if d.Impl == "llm_query" {
				prompts[call{ev.Path, d.Cell, d.Hash, d.N}] = d.Prompt.String()
			}
			continue
		case trajectory.SubCallEnded:
			prompt, ok := prompts[call{ev.Path, d.Cell, d.Hash, d.N}]
			if !ok || d.Error != "" {
				continue
			}
			line = demo.Reply{Prompt: demo.PromptHash(prompt), Head: head(prompt), Content: d.Reply.String()}
		default:
			continue
		}
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("write a recording: %w", err)
		}
	}
	return nil
}

// head returns the beginning of a prompt on one line.
func head(prompt string) string {
	const length = 120
	line := strings.Join(strings.Fields(prompt[:min(len(prompt), 4*length)]), " ")
	return strings.ToValidUTF8(line[:min(len(line), length)], "")
}
