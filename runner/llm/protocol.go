package llm

import "io"

// protocol is the interface of an endpoint: the requests that it accepts and the events of its replies. Everything
// else is shared: retries, limits, timeouts, broken streams, errors.
type protocol interface {
	// open sends the request of a call's next try, through call.send, and returns the events of its reply.
	open(a *call) (events, error)
}

// events are the events of one reply, without framing.
type events interface {
	io.Closer
	// next reads one event, or a reply in one piece, and returns the text in it. It records the model, finish
	// reason and usage of the event in r. io.EOF is the end.
	next(r *reply) (Delta, error)
}
