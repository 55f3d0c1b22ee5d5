package api

import (
	"context"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/session"
)

// visitor is who makes a request, and by what they were let in.
type visitor struct {
	session.Person
	browser string // id of the browser whose cookie let them in; empty with a token
}

// mostRequests bounds the requests of one user under way, streams and sockets among them.
const mostRequests = 256

// presence is how often it is checked that those who are here may be: what is changed by another process counts by then.
const presence = time.Second

// visitors are those whose requests are under way. A request ends when its visitor may not be here any more.
type visitors struct {
	may func(visitor) bool

	mu  sync.Mutex
	all map[*visit]struct{}
	of  map[session.Person]int
}

// visit is a request under way.
type visit struct {
	visitor
	end context.CancelFunc
}

// enter begins a request, which ends with the context or when its visitor has to go. Leave it.
func (v *visitors) enter(ctx context.Context, who visitor) (under context.Context, leave func(), err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !who.Owner && v.of[who.Person] >= mostRequests {
		return nil, nil, &session.Error{Code: session.Limit, Message: "very many requests of yours are under way: wait for some of them, or close pages", After: time.Second}
	}
	ctx, end := context.WithCancel(ctx)
	one := &visit{who, end}
	v.all[one] = struct{}{}
	v.of[who.Person]++
	return ctx, func() {
		end()
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.all, one)
		if v.of[who.Person]--; v.of[who.Person] == 0 {
			delete(v.of, who.Person)
		}
	}, nil
}

// check ends the requests of those who may not be here any more.
func (v *visitors) check() {
	v.mu.Lock()
	defer v.mu.Unlock()
	may := map[visitor]bool{}
	for one := range v.all {
		allowed, known := may[one.visitor]
		if !known {
			allowed = v.may(one.visitor)
			may[one.visitor] = allowed
		}
		if !allowed {
			one.end()
		}
	}
}

// watch checks those who are here until ctx is done.
func (v *visitors) watch(ctx context.Context, check func()) {
	look := time.NewTicker(presence)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			check()
		case <-ctx.Done():
			return
		}
	}
}
