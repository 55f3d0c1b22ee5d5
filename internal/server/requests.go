package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/server/internal/live"
)

// key names a request by its Idempotency-Key and the one who makes it; empty without one. The name stands in the log of what the request
// begins, which is how a request that is made again is known, also by another process.
func (r *request) key() (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return "", nil
	}
	if len(key) > 255 || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", badRequest("an Idempotency-Key has at most 255 printable ASCII characters")
	}
	return hashed(r.who.Name + "\n" + key)[:32], nil
}

// once makes a session, or finds the one that was made when the request was made before.
func (s *Server) once(r *request, in any, create func() (*live.Session, error)) (l *live.Session, again bool, err error) {
	key, err := r.key()
	if err != nil {
		return nil, false, err
	}
	whose := owned{Owner: r.who.Name}
	if r.who.Owner {
		whose.Owner = ""
	}
	if key != "" {
		said, err := json.Marshal(in)
		if err != nil {
			return nil, false, err
		}
		whose.Request, whose.Said = key, hashed(r.Method + " " + r.URL.Path + "\n" + string(said))[:32]
		unlock, err := s.making.lock(r.Context(), key)
		if err != nil {
			return nil, false, err
		}
		defer unlock()
		if id, before, ok := s.owners.made(key); ok {
			if before.Said != whose.Said {
				return nil, false, keyUsed()
			}
			l, err := s.session(r.who, id)
			return l, true, err
		}
	}
	if l, err = create(); err == nil {
		err = s.owners.set(l.ID(), whose)
	}
	return l, false, err
}

func keyUsed() error {
	return &failure{http.StatusUnprocessableEntity, "key_used", "this Idempotency-Key was used for another request", nil}
}

// locks are locks by name, each there while it is held or waited for.
type locks struct {
	mu  sync.Mutex
	all map[string]chan struct{} // closed when it is free
}

func (k *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	for {
		k.mu.Lock()
		held, ok := k.all[name]
		if !ok {
			if k.all == nil {
				k.all = map[string]chan struct{}{}
			}
			free := make(chan struct{})
			k.all[name] = free
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				delete(k.all, name)
				close(free)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
