package api

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/session"
)

// visitor is the sender of a request, and how they were authenticated.
type visitor struct {
	session.Person
	browser string // id of the browser whose cookie the request had; empty if it had a token
}

// mostRequests limits the requests in progress of one user, including streams and sockets.
const mostRequests = 256

// presence is the interval of checks of access: changes by other processes take effect within it.
const presence = time.Second

// visitors are the senders of the requests in progress. A request ends when its visitor has lost access.
type visitors struct {
	may func(visitor) bool

	mu  sync.Mutex
	all map[*visit]struct{}
	of  map[session.Person]int
}

// errNoAccess is the reason for ending the requests of a visitor who has lost access.
var errNoAccess = &session.Error{Code: "token", Message: "this user was removed or has logged out"}

// visit is a request in progress.
type visit struct {
	visitor
	end context.CancelCauseFunc
}

// enter registers a request. The context that it returns ends with ctx, or when the visitor has lost access. Call
// leave at the end of the request.
func (v *visitors) enter(ctx context.Context, who visitor) (under context.Context, leave func(), err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !who.Owner && v.of[who.Person] >= mostRequests {
		return nil, nil, &session.Error{
			Code: session.Limit, Message: "too many of your requests are in progress: wait for some of them, or close pages", After: time.Second,
		}
	}
	ctx, end := context.WithCancelCause(ctx)
	one := &visit{who, end}
	v.all[one] = struct{}{}
	v.of[who.Person]++
	return ctx, func() {
		end(nil)
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.all, one)
		if v.of[who.Person]--; v.of[who.Person] == 0 {
			delete(v.of, who.Person)
		}
	}, nil
}

// check ends the requests of visitors who have lost access.
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
			one.end(errNoAccess)
		}
	}
}

// allowedBody is the body of a request of someone who has to have access until the body has arrived, which may take
// long: what a removed user sends begins nothing.
type allowedBody struct {
	io.ReadCloser
	ctx context.Context
}

func (b *allowedBody) Read(p []byte) (int, error) {
	if lostAccess(b.ctx) { // a handler may have set a later deadline than guard
		return 0, errNoAccess
	}
	n, err := b.ReadCloser.Read(p)
	if lostAccess(b.ctx) {
		return 0, errNoAccess
	}
	return n, err
}

// lostAccess reports whether a request ended because its visitor has lost access.
func lostAccess(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errNoAccess) }

// watch runs check regularly until ctx is done.
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
