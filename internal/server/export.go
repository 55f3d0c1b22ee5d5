package server

import (
	"bufio"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// exportHeld is how much of an export is held back at first: what is wrong with a session is said in words if it is found by then.
const exportHeld = 1 << 20

// export writes a session for other readers.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	l, err := s.session(personOf(r.Context()), r.PathValue("id"))
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
