package llm

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// The reasons for a retry consist only of these words and a status. They contain no text of an endpoint or a proxy,
// which may repeat a key or a header.
const (
	reasonHeld    = "the endpoint asked all calls to wait"
	reasonStalled = "the stream stalled"
	reasonBroken  = "the stream broke off"
	reasonEvent   = "an error in the stream"
	reasonEmpty   = "the reply was empty"
	reasonSilent  = "no answer in time"
	reasonRefused = "connection refused"
	reasonDropped = "the connection broke"
	reasonTimeout = "the connection timed out"
	reasonLookup  = "the name lookup failed"
	reasonNetwork = "no connection"
)

// retrying notifies the reader that the next try begins after a wait.
func (a *call) retrying(reason string, wait time.Duration) {
	d := Delta{Retry: &Retry{Reason: reason, Attempt: a.tries + 1, Tries: max(a.c.cfg.Tries, a.tries+1), Wait: wait}}
	if a.out != nil {
		d.Waste = a.wasted
		a.reported, a.wasted = a.reported+d.Waste.tokens(), Waste{}
	}
	a.out.add(d)
}

// interruption is the reason why a reply that had begun did not finish.
func (a *call) interruption(f failure) string {
	if f.as == ErrNoReply || f.as == ErrThoughtsOnly {
		return reasonEmpty
	}
	if f.status != 0 {
		return httpReason(f.status)
	}
	if a.body.silence.fired.Load() {
		return reasonStalled
	}
	if f.err == nil {
		return reasonEvent
	}
	return reasonBroken
}

// failedRequest is the reason why a request got no reply at all.
func failedRequest(err error) string {
	var (
		dns     *net.DNSError
		network net.Error
		text    = fmt.Sprint(err)
	)
	switch {
	case errors.Is(err, errSilent):
		return reasonSilent
	case strings.Contains(text, "refused"):
		return reasonRefused
	case errors.As(err, &dns):
		return reasonLookup
	case errors.As(err, &network) && network.Timeout():
		return reasonTimeout
	case errors.Is(err, errBroken), strings.Contains(text, "EOF"), strings.Contains(text, "connection reset"),
		strings.Contains(text, "broken pipe"):
		return reasonDropped
	default:
		return reasonNetwork
	}
}

func httpReason(status int) string { return fmt.Sprintf("HTTP %d", status) }
