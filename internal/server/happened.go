package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner/trajectory"
)

// readAhead begins to read the log of the session whose page is asked for: the page asks for it next.
func (s *Server) readAhead(r *http.Request) {
	id, is := strings.CutPrefix(r.URL.Path, "/s/")
	if !is || r.Method != http.MethodGet {
		return
	}
	who := personOf(r.Context())
	s.sessions.Begin(func() { // the page need not wait for that
		if l, err := s.session(who, id); err == nil { // it says what is wrong
			l.ReadAhead()
		}
	})
}

// event is one event with its long texts.
func (s *Server) event(r *request, _ none) (trajectory.Event, error) {
	l, err := s.find(r)
	if err != nil {
		return trajectory.Event{}, err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return trajectory.Event{}, badRequest("an event has a number")
	}
	for ev, err := range trajectory.Skim(l.Dir()) {
		if err != nil {
			return trajectory.Event{}, err
		}
		if ev.Seq == seq {
			return ev.Loaded()
		}
	}
	return trajectory.Event{}, notFound(fmt.Sprintf("there is no event %d", seq))
}

type eventsRequest struct {
	Path  string `json:"path"`
	After int64  `json:"after"`
	Limit int    `json:"limit"`
}

// Events are a part of the events of one run of the tree.
type Events struct {
	Events []trajectory.Event `json:"events"`
	More   bool               `json:"more"`
}

const eventsAtOnce = 2000

// pathEvents are events of one run of the tree, such as a child run that a page opens.
func (s *Server) pathEvents(r *request, in eventsRequest) (Events, error) {
	l, err := s.find(r)
	if err != nil {
		return Events{}, err
	}
	in.Limit = atMost(in.Limit, 500, eventsAtOnce)
	out := Events{Events: []trajectory.Event{}}
	for ev, err := range trajectory.Skim(l.Dir()) {
		if err == nil {
			err = r.Context().Err()
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
		out.Events = append(out.Events, ev)
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

// Calls are a page of the sub-calls of a cell. Total counts those of the status that was asked for.
type Calls struct {
	Total   int         `json:"total"`
	Failed  int         `json:"failed"`
	Running int         `json:"running"`
	Calls   []past.Call `json:"calls"`
}

const callsAtOnce = 1000

func (s *Server) calls(r *request, in callsRequest) (Calls, error) {
	l, err := s.find(r)
	if err != nil {
		return Calls{}, err
	}
	in.Limit = atMost(in.Limit, 100, callsAtOnce)
	calls, tally, total, err := l.Book().Calls(past.Which(in))
	if err != nil {
		return Calls{}, err
	}
	return Calls{total, tally.Failed, tally.Started - tally.Ended, calls}, nil
}

type messagesRequest struct {
	Path string `json:"path"`
	Run  int    `json:"run"`
	Turn int    `json:"turn"`
}

// messages are those that the model was sent at a turn, with their texts.
func (s *Server) messages(r *request, in messagesRequest) (past.Told, error) {
	l, err := s.find(r)
	if err != nil {
		return past.Told{}, err
	}
	told, err := past.Messages(l.Dir(), in.Path, in.Run, max(in.Turn, 1))
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

func (s *Server) trace(r *request, in traceRequest) (past.Trace, error) {
	l, err := s.find(r)
	if err != nil {
		return past.Trace{}, err
	}
	return l.Book().Trace(in.Run)
}
