package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/gorlm/rlm/internal/kit/proxy"
)

// road returns the transport for a request: direct, direct with private addresses allowed, or through a proxy. The
// three never share connections.
func (c *Client) road(req *http.Request, private bool) (*http.Transport, error) {
	find := c.Proxy
	if find == nil {
		find = proxy.FromEnvironment()
	}
	through, err := find(req)
	if err != nil {
		return nil, err
	}
	key, allow := "direct", public
	if private {
		key, allow = "private", inside
	}
	if a, err := netip.ParseAddr(req.URL.Hostname()); err == nil {
		if err := allow(a); err != nil {
			return nil, err
		}
	}
	dialer := &net.Dialer{Timeout: c.limits().Silence, Resolver: c.Resolver}
	if through == nil {
		dialer.Control = control(allow)
	} else {
		key = through.String()
		if err := c.lookAt(req.Context(), req.URL.Hostname(), allow); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.roads[key]; t != nil {
		return t, nil
	}
	t := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2,
		IdleConnTimeout:     10 * time.Second,
		TLSHandshakeTimeout: c.limits().Silence, MaxResponseHeaderBytes: mostHeader,
	}
	if through != nil {
		t.Proxy = http.ProxyURL(through)
	}
	if c.roads == nil {
		c.roads = map[string]*http.Transport{}
	}
	c.roads[key] = t
	return t, nil
}

// lookAt resolves a name that the proxy will resolve itself, and refuses it if its address here is private. A name
// that only the proxy can resolve is left to the proxy, which belongs to the network of the person who set it.
func (c *Client) lookAt(ctx context.Context, host string, allow func(netip.Addr) error) error {
	resolver := c.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return ctx.Err()
	}
	for _, a := range addrs {
		if err := allow(a); err != nil {
			return err
		}
	}
	return nil
}

// control checks addresses as they are dialled: an earlier resolution of the name does not count.
func control(allow func(netip.Addr) error) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return &blockedError{address, "cannot be read as an address"}
		}
		return allow(to.Addr())
	}
}

// blockedError is an address from which nothing is fetched.
type blockedError struct{ address, why string }

func (r *blockedError) Error() string { return r.address + " " + r.why }

// registry knows the address blocks that IANA reserves for special purposes.
var registry = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort())

// nat64 is the prefix of IPv4 addresses in an IPv6-only network.
var nat64 = ssrf.IPv6NAT64Prefix

// public allows internet addresses, except this machine's own.
func public(a netip.Addr) error {
	if err := never(a); err != nil {
		return err
	}
	a = plain(a)
	if registry.SafeAddr(a) != nil {
		return &blockedError{a.String(), "is not a public address, and private URLs are not allowed"}
	}
	if own(a) {
		return &blockedError{a.String(), "is this machine's own address, and private URLs are not allowed"}
	}
	return nil
}

// private lists the private addresses that a person may allow.
var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7"),
}

// inside also allows private addresses, but none at which the machine's credentials are available to any caller.
func inside(a netip.Addr) error {
	if err := never(a); err != nil {
		return err
	}
	a = plain(a)
	if slices.ContainsFunc(private, func(p netip.Prefix) bool { return p.Contains(a) }) || registry.SafeAddr(a) == nil {
		return nil
	}
	return &blockedError{a.String(), "is neither a public nor a private address"}
}

// metadata lists addresses at which clouds serve a machine's credentials, except link-local ones.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
}

func never(a netip.Addr) error {
	if p := plain(a); slices.Contains(metadata, p) || p.IsLinkLocalUnicast() {
		return &blockedError{p.String(), "is not a public address, but one that serves machines' credentials"}
	}
	return nil
}

// plain converts an IPv4 address inside IPv6 to plain IPv4.
func plain(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.WithZone("")
}

// own reports whether an address belongs to this machine: services on it may trust local clients.
func own(a netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addrs, func(n net.Addr) bool {
		p, err := netip.ParsePrefix(n.String())
		return err == nil && p.Addr().Unmap().WithZone("") == a
	})
}

// sameDoor reports whether two URLs belong to the same server: they have the same host and port, or redirect from
// the default port of http to that of https.
func sameDoor(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	return port(a) == port(b) || a.Scheme == "http" && port(a) == "80" && b.Scheme == "https" && port(b) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// explain describes for people why a request failed.
func explain(err error) error {
	var no *blockedError
	var name *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Errorf("there is no host %s", name.Name)
	case errors.As(err, &name):
		return fmt.Errorf("the name %s could not be looked up: %s", name.Name, name.Err)
	case errors.As(err, &dial) && dial.Op == "proxyconnect" && dial.Err != nil:
		return fmt.Errorf("the proxy set in the environment cannot be reached: %w", explain(dial.Err))
	case errors.As(err, &dial) && dial.Op == "dial" && dial.Err != nil:
		return fmt.Errorf("no connection: %w", dial.Err)
	}
	return err
}
