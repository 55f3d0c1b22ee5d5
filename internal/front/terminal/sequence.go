package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/sequence"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// ShowSequence prints the last run of a log in the notation of done sequences, and the progress of sequences: those
// of the run and those in more.
func ShowSequence(out io.Writer, dir string, more []termination.Sequence) error {
	events, begun, err := sequenceEvents(dir)
	if err != nil {
		return err
	}
	m, err := sequence.NewMatcher(append(begun, more...))
	if err != nil {
		return err
	}
	var letters []string
	for _, ev := range events {
		text := ev.Letter()
		if len(ev.Tools) > 0 {
			text += "[" + strings.Join(ev.Tools, "|") + "]"
		}
		letters = append(letters, text)
		m.Observe(ev)
	}
	fmt.Fprintln(out, strings.Join(letters, ", "))
	for _, p := range m.Progress() {
		state := fmt.Sprintf("%d of %d", p.Best, p.Of)
		if p.Best == p.Of {
			state += ", complete"
		}
		fmt.Fprintf(out, "%s: %s\n", p.Name, state)
	}
	return nil
}

// sequenceEvents returns the messages of a log's last run, and the sequences that the run was configured with.
func sequenceEvents(dir string) (events []sequence.Event, begun []termination.Sequence, err error) {
	for ev, err := range trajectory.Read(dir) {
		if err != nil {
			return nil, nil, err
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			var config struct {
				Policy termination.Policy `json:"policy"`
			}
			if len(d.Config) > 0 {
				if err := json.Unmarshal(d.Config, &config); err != nil {
					return nil, nil, fmt.Errorf("reading how the run was started: %w", err)
				}
			}
			events, begun = nil, config.Policy.Sequences
		case trajectory.MessageAdded:
			switch d.Kind {
			case "question", "review":
				events = append(events, sequence.Event{Type: sequence.UserEvent, Content: d.Content.String()})
			case "observation":
				events = append(events, sequence.Event{Type: sequence.AgentEvent, Content: d.Content.String()})
			}
		case trajectory.ReplyReceived:
			reply := sequence.Event{Type: sequence.LLMEvent, Content: d.Content.String()}
			if strings.TrimSpace(reply.Content) == "" {
				reply.Type = sequence.NoResponse
			}
			events = append(events, reply)
		case trajectory.CellEnded:
			if ev.Turn > 0 {
				called(events, d)
			}
		}
	}
	return events, begun, nil
}

// called adds the tools that a cell called to the last event, the reply that contains the cell.
func called(events []sequence.Event, d trajectory.CellEnded) {
	res, err := d.Decode()
	if len(events) == 0 || err != nil || len(res.Called) == 0 {
		return
	}
	last := &events[len(events)-1]
	if last.Type != sequence.LLMEvent && last.Type != sequence.ToolEvent {
		return
	}
	last.Type = sequence.ToolEvent
	for _, name := range res.Called {
		if !slices.Contains(last.Tools, name) {
			last.Tools = append(last.Tools, name)
		}
	}
}
