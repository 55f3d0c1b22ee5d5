package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/idempotent"
	"github.com/gorlm/rlm/internal/server/internal/live"
)

// claimed is what is kept under an Idempotency-Key: the session that the request is about or made, and the name of the request in its log.
type claimed struct {
	Session string `json:"session"`
	Name    string `json:"name,omitempty"`
}

// claim takes the request's Idempotency-Key; nil if it has none. Release it. The same user's key stands for one request with one body.
func (s *Server) claim(r *request, in any) (*idempotent.Claim, error) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return nil, nil
	}
	said, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	c, err := s.requests.Claim(r.Context(), r.who.Name, key, append([]byte(r.Method+" "+r.URL.Path+"\n"), said...))
	switch {
	case errors.Is(err, idempotent.ErrOther):
		return nil, &failure{http.StatusUnprocessableEntity, "key_used", err.Error(), nil}
	case errors.Is(err, idempotent.ErrKey):
		return nil, badRequest(err.Error())
	}
	return c, err
}

// before is what was begun when the request was made before; ok is false if it was not.
func (r *request) before() (was claimed, ok bool, err error) {
	if r.claim == nil || r.claim.Value == nil {
		return claimed{}, false, nil
	}
	return was, true, json.Unmarshal(r.claim.Value, &was)
}

// made makes a session, or finds the one that was made when the request was made before.
func (s *Server) made(r *request, create func() (*live.Session, error)) (l *live.Session, again bool, err error) {
	was, again, err := r.before()
	if err != nil {
		return nil, false, err
	}
	if again {
		if l, err = s.session(r.who, was.Session); err != nil {
			err = &failure{http.StatusGone, "deleted", "the session that this Idempotency-Key made was deleted; another key makes another one", nil}
		}
		return l, true, err
	}
	if err := s.room(r.who); err != nil {
		return nil, false, err
	}
	l, err = create()
	if err == nil && !r.who.Owner {
		err = s.owners.set(l.ID(), owned{Owner: r.who.Name})
	}
	if err == nil && r.claim != nil {
		err = r.claim.Keep(claimed{Session: l.ID()}, time.Now())
	}
	return l, false, err
}

// named names what a request begins with a session in its log: as the first time, if it was made before. Drop takes the name back if nothing
// began after all.
func (r *request) named(l *live.Session) (name string, drop func() error, err error) {
	keep := func() error { return nil }
	if r.claim == nil {
		return "", keep, nil
	}
	if was, again, err := r.before(); again || err != nil {
		return was.Name, keep, err
	}
	name = rand.Text()
	return name, func() error { return r.claim.Drop(time.Now()) }, r.claim.Keep(claimed{l.ID(), name}, time.Now())
}

// once is on for what makes a session or costs money: the same Idempotency-Key does it once.
func once[In, Out any](s *Server, pattern string, do func(*request, In) (Out, error)) endpoint {
	e := on(pattern, func(r *request, in In) (out Out, err error) {
		if r.claim, err = s.claim(r, in); err != nil || r.claim == nil {
			if err == nil {
				out, err = do(r, in)
			}
			return out, err
		}
		defer r.claim.Release()
		return do(r, in)
	})
	e.once = true
	return e
}
