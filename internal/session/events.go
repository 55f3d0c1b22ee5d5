package session

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// event returns one event with its long texts.
func event(ctx context.Context, c *Call, _ struct{}) (trajectory.Event, error) {
	seq, err := strconv.ParseInt(c.Params["seq"], 10, 64)
	if err != nil {
		return trajectory.Event{}, badRequest("the event number must be a whole number")
	}
	ev, err := eventAt(ctx, c.live.Dir(), seq)
	return seenBy(c.Who, ev), err
}

// seenBy returns an event as a person may see it: only the owner sees where files lie.
func seenBy(who Person, ev trajectory.Event) trajectory.Event {
	if who.Owner {
		return ev
	}
	return formats.WithoutFolders(ev)
}

func eventAt(ctx context.Context, dir string, seq int64) (trajectory.Event, error) {
	for ev, err := range runner.Retraced(ctx, dir, trajectory.Skim(dir)) {
		if err != nil {
			return trajectory.Event{}, err
		}
		if ev.Seq == seq {
			return ev.Loaded()
		}
	}
	return trajectory.Event{}, &Error{Code: NotFound, Message: fmt.Sprintf("there is no event %d", seq)}
}

type eventsRequest struct {
	Path  string `json:"path"`
	After int64  `json:"after"`
	Limit int    `json:"limit"`
}

// Events is a page of the events of one run of the tree.
type Events struct {
	Events []trajectory.Event `json:"events"`
	More   bool               `json:"more"`
}

const eventsAtOnce = 2000

// pathEvents returns events of one run of the tree, such as a child run that the web page shows.
func pathEvents(ctx context.Context, c *Call, in eventsRequest) (Events, error) {
	in.Limit = atMost(in.Limit, 500, eventsAtOnce)
	out := Events{Events: []trajectory.Event{}}
	for ev, err := range runner.Retraced(ctx, c.live.Dir(), trajectory.Skim(c.live.Dir())) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return out, err
		}
		if ev.Seq <= in.After || ev.Path != in.Path {
			continue
		}
		if len(out.Events) == in.Limit {
			out.More = true
			break
		}
		out.Events = append(out.Events, seenBy(c.Who, ev))
	}
	return out, nil
}

type callsRequest struct {
	Path   string `json:"path"`
	Cell   int    `json:"cell"`
	Status string `json:"status"`
	Sort   string `json:"sort"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// Calls is a page of the sub-calls of a cell. Total counts those with the requested status.
type Calls struct {
	Total   int            `json:"total"`
	Failed  int            `json:"failed"`
	Running int            `json:"running"`
	Calls   []history.Call `json:"calls"`
}

const callsAtOnce = 1000

func calls(_ context.Context, c *Call, in callsRequest) (Calls, error) {
	in.Limit = atMost(in.Limit, 100, callsAtOnce)
	page, tally, total, err := c.live.History().Calls(history.CallQuery{
		Path: in.Path, Cell: in.Cell, Status: in.Status, Sort: in.Sort, Offset: in.Offset, Limit: in.Limit,
		Live: c.live.State().live(),
	})
	if err != nil {
		return Calls{}, err
	}
	return Calls{total, tally.Failed, tally.Running, page}, nil
}

type messagesRequest struct {
	Path string `json:"path"`
	Run  int    `json:"run"`
	Turn int    `json:"turn"`
}

// messages returns the messages that the model was sent in a turn, with their texts.
func messages(_ context.Context, c *Call, in messagesRequest) (history.Prompt, error) {
	told, err := history.Messages(c.live.Dir(), in.Path, in.Run, max(in.Turn, 1))
	for i, m := range told.Messages {
		if err != nil {
			break
		}
		var text string
		text, err = m.Content.Load()
		told.Messages[i].Content = trajectory.T(text)
	}
	return told, err
}

type traceRequest struct {
	Run int `json:"run"`
}

func trace(_ context.Context, c *Call, in traceRequest) (history.Trace, error) {
	return c.live.History().Trace(in.Run, c.live.State().live())
}
