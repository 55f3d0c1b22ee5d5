package session

import (
	"context"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner/trajectory"
)

type searchRequest struct {
	Query string `json:"q"`
	Limit int    `json:"limit"`
}

// Hit is a match in a session.
type Hit struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	history.Hit
	Time time.Time `json:"time"` // time of the session's last event
}

// Hits are the results of a search.
type Hits struct {
	Hits []Hit `json:"hits"`
	More bool  `json:"more"` // the search ended at a bound, so there may be more
}

// searchTime bounds a search through all sessions.
const searchTime = 5 * time.Second

// search searches the names, questions, answers and cells of all sessions, newest first.
func search(ctx context.Context, c *Call, in searchRequest) (Hits, error) {
	out := Hits{Hits: []Hit{}}
	if q := strings.TrimSpace(in.Query); q == "" || len(q) > 1000 {
		return out, badRequest("the search text must have 1 to 1000 bytes: ?q=")
	}
	in.Limit = atMost(in.Limit, 50, 500)
	all, err := trajectory.List(c.manager.cfg.Runner.RunsDir())
	if err != nil {
		return out, err
	}
	want := history.Want(in.Query)
	end := time.Now().Add(searchTime)
	for _, sum := range all {
		if !c.manager.May(c.Who, sum.ID) {
			continue
		}
		if len(out.Hits) >= in.Limit || time.Now().After(end) || ctx.Err() != nil {
			out.More = true
			break
		}
		name := history.Hit{In: "name"}
		if name.Around(sum.Name, want) {
			out.Hits = append(out.Hits, Hit{sum.ID, sum.Name, name, sum.Last})
		}
		found, err := history.Search(sum.Dir, want)
		if err != nil { // the readable part of a damaged log was searched
			c.manager.cfg.Log.Debug("search", "session", sum.ID, "error", err)
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
