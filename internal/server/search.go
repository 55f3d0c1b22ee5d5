package server

import (
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner/trajectory"
)

type searchRequest struct {
	Query string `json:"q"`
	Limit int    `json:"limit"`
}

// Hit is a place in a session that a search found.
type Hit struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	past.Hit
	Time time.Time `json:"time"` // of the session's last event
}

// Hits are what a search found.
type Hits struct {
	Hits []Hit `json:"hits"`
	More bool  `json:"more"` // there may be more than were looked for
}

// searchTime bounds a search through all sessions; it says so if it did not get through.
const searchTime = 5 * time.Second

// search looks in the names, questions, answers and cells of all sessions, the newest first.
func (s *Server) search(r *request, in searchRequest) (Hits, error) {
	out := Hits{Hits: []Hit{}}
	if q := strings.TrimSpace(in.Query); q == "" || len(q) > 1000 {
		return out, badRequest("what is looked for has 1 to 1000 bytes: ?q=")
	}
	in.Limit = atMost(in.Limit, 50, 500)
	all, err := trajectory.List(s.cfg.Runner.RunsDir())
	if err != nil {
		return out, err
	}
	want := past.Want(in.Query)
	end := time.Now().Add(searchTime)
	for _, sum := range all {
		if !s.owners.may(r.who, sum.ID) {
			continue
		}
		if len(out.Hits) >= in.Limit || time.Now().After(end) || r.Context().Err() != nil {
			out.More = true
			break
		}
		name := past.Hit{In: "name"}
		if name.Around(sum.Name, want) {
			out.Hits = append(out.Hits, Hit{sum.ID, sum.Name, name, sum.Last})
		}
		found, err := past.Search(sum.Dir, want)
		if err != nil { // what can be read of a damaged log was looked through
			s.cfg.Log.Debug("search", "session", sum.ID, "error", err)
		}
		for _, h := range found {
			out.Hits = append(out.Hits, Hit{sum.ID, sum.Name, h, sum.Last})
		}
	}
	if len(out.Hits) > in.Limit {
		out.Hits, out.More = out.Hits[:in.Limit], true
	}
	return out, nil
}
