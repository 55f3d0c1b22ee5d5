package api

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// exportHeld is how much of an export is held back at first: what is wrong with a session is said in words if it is found by then.
const exportHeld = 1 << 20

// export writes a session for other readers.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	format := r.URL.Query().Get("format")
	write, ok := export.Formats()[format]
	if err == nil && !ok {
		err = badRequest("format is one of " + strings.Join(slices.Sorted(maps.Keys(export.Formats())), ", "))
	}
	if err != nil {
		refuse(w, err)
		return
	}
	file := &attachment{w: w, name: l.ID() + export.Ending(format)}
	held := bufio.NewWriterSize(file, exportHeld)
	if err = write(held, trajectory.Salvage(l.Dir())); err == nil {
		err = held.Flush()
	}
	if err != nil {
		s.cfg.Log.Warn("export failed", "session", l.ID(), "error", err)
	}
	file.end(err)
}

// replay runs the cells of a session again and tells of each, as a line of JSON.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines, control := json.NewEncoder(w), http.NewResponseController(w)
	for cell, err := range s.cfg.Runner.Replay(r.Context(), l.ID()) {
		if err != nil {
			_ = lines.Encode(errorBody{toldOf(err)}) // nobody is left to be told
			return
		}
		if lines.Encode(cell) != nil || control.Flush() != nil {
			return
		}
	}
}

// find is the session that a request is about, if the one who makes it may see it.
func (s *Server) find(r *http.Request) (*session.Session, error) {
	return s.sessions.Find(personOf(r.Context()), r.PathValue("id"))
}
