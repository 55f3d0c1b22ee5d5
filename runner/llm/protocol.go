package llm

import "io"

// protocol is how an endpoint is spoken to: the requests that it takes and the events of its replies.
// Everything between is the same for all of them: tries, limits, time, broken streams, errors.
type protocol interface {
	// open sends the request of a call's next try, by way of call.send, and returns the events of its reply.
	open(a *call) (events, error)
}

// events are the events of one reply, without what stands around them.
type events interface {
	io.Closer
	// next takes in one event, or a reply in one piece, and returns the piece of reply in it. It sets what the event
	// says of the reply: model, finish reason, usage. io.EOF is the end.
	next(r *reply) (Delta, error)
}
