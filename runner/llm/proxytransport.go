package llm

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorlm/rlm/internal/kit/proxy"
)

// proxyTransport is a transport whose errors name the proxy that was used.
type proxyTransport struct {
	*http.Transport
	through func(*http.Request) (*url.URL, error)
}

func throughProxies(t *http.Transport) *proxyTransport {
	through := proxy.FromEnvironment()
	t.Proxy = through
	return &proxyTransport{t, through}
}

// RoundTrip sends a request. The error is a *proxyError if a proxy was used.
func (p *proxyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.Transport.RoundTrip(r)
	if err == nil && resp.StatusCode != http.StatusProxyAuthRequired {
		return resp, nil
	}
	through, unusable := p.through(r)
	switch {
	case unusable != nil:
		return nil, &proxyError{err: unusable}
	case through == nil:
		return resp, err
	case err == nil: // the proxy sent this status: no endpoint does
		err = errors.Join(errors.New(http.StatusText(resp.StatusCode)), resp.Body.Close())
	}
	return nil, &proxyError{strings.ToUpper(r.URL.Scheme) + "_PROXY", through.Scheme + "://" + through.Host, err}
}

// proxyError is a failure of a proxy, of a request through it, or of the search for one.
type proxyError struct {
	variable string // environment variable of the proxy, for the endpoint's scheme
	where    string // the proxy; empty if its address is invalid
	err      error
}

func (e *proxyError) Error() string {
	var dial *net.OpError
	text := ""
	switch {
	case e.where == "":
		return e.err.Error()
	case errors.As(e.err, &dial) && (dial.Op == "proxyconnect" || dial.Op == "socks connect"):
		text = fmt.Sprintf("the proxy %s cannot be reached", e.where)
	case e.refuses():
		text = fmt.Sprintf("the proxy %s needs USER:PASSWORD@ before its host name", e.where)
	default:
		text = fmt.Sprintf("through the proxy %s", e.where)
	}
	return fmt.Sprintf("%s: %s; %s, ALL_PROXY and NO_PROXY choose the proxy", text, rootCause(e.err), e.variable)
}

func (e *proxyError) Unwrap() error { return e.err }

// refuses reports whether a retry would fail the same way.
func (e *proxyError) refuses() bool {
	return e.where == "" || strings.Contains(e.err.Error(), http.StatusText(http.StatusProxyAuthRequired))
}

// rootCause is the innermost of wrapped errors, which contains no address.
func rootCause(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return strings.TrimSpace(err.Error())
}
