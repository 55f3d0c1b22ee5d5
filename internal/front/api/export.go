package api

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/runner"
)

// exportHeld is the number of bytes of an export that are buffered before any are sent. An error that occurs until
// then can be sent as an error response.
const exportHeld = 1 << 20

// export sends a session in one of the formats of package formats.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	format := r.URL.Query().Get("format")
	write, ok := formats.All()[format]
	if err == nil && !ok {
		err = badRequest("format must be one of " + strings.Join(slices.Sorted(maps.Keys(formats.All())), ", "))
	}
	if err != nil {
		refuse(w, err)
		return
	}
	file := &attachment{w: w, name: l.ID() + formats.Ending(format)}
	held := bufio.NewWriterSize(file, exportHeld)
	if err = write(held, runner.Recorded(r.Context(), l.Dir())); err == nil {
		err = held.Flush()
	}
	if err != nil {
		s.cfg.Log.Warn("export failed", "session", l.ID(), "error", err)
	}
	file.end(err)
}

// replay runs the cells of a session again, and sends a line of JSON for each.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	var leave func()
	if err == nil {
		leave, err = s.sessions.EnterCells(r.Context(), personOf(r.Context()))
	}
	if err != nil {
		refuse(w, err)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines, control := json.NewEncoder(w), http.NewResponseController(w)
	for cell, err := range s.cfg.Runner.Replay(r.Context(), l.ID()) {
		if err != nil {
			_ = lines.Encode(errorBody{toldOf(err)}) // fails only if the client is gone
			return
		}
		if lines.Encode(cell) != nil || control.Flush() != nil {
			return
		}
	}
}

// find returns the session that a request is about, if the caller may see it.
func (s *Server) find(r *http.Request) (*session.Session, error) {
	return s.sessions.Find(personOf(r.Context()), r.PathValue("id"))
}
