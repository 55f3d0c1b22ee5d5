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

// road is what a request goes over: directly, to private addresses as well, or through a proxy. Connections of one are never used for
// another.
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
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: 10 * time.Second,
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

// lookAt resolves a name that a proxy will resolve by itself. What has a private address here is refused. A name that only the proxy knows is
// the proxy's to judge: it is part of the network that the person who set it is in.
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

// control refuses connections to addresses, which it sees as they are dialled: what a name meant a moment ago does not count.
func control(allow func(netip.Addr) error) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return &blockedError{address, "cannot be read as an address"}
		}
		return allow(to.Addr())
	}
}

// blockedError is an address that nothing is fetched from.
type blockedError struct{ address, why string }

func (r *blockedError) Error() string { return r.address + " " + r.why }

// registry are the blocks of addresses that IANA keeps for special purposes.
var registry = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort())

// nat64 are addresses of IPv4 as a network of IPv6 alone sees them.
var nat64 = ssrf.IPv6NAT64Prefix

// public admits addresses of the internet that are not this machine's own.
func public(a netip.Addr) error {
	if err := never(a); err != nil {
		return err
	}
	a = plain(a)
	if registry.SafeAddr(a) != nil {
		return &blockedError{a.String(), "is no public address, and private URLs are not allowed"}
	}
	if own(a) {
		return &blockedError{a.String(), "is this machine's own address, and private URLs are not allowed"}
	}
	return nil
}

// private are the addresses that a person may allow.
var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7"),
}

// inside admits private addresses as well, but none that gives the keys of the machine to any caller.
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

// metadata are addresses under which clouds tell a machine its keys, as far as they are not link-local.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
}

func never(a netip.Addr) error {
	if p := plain(a); slices.Contains(metadata, p) || p.IsLinkLocalUnicast() {
		return &blockedError{p.String(), "is no public address, but one at which machines tell their keys"}
	}
	return nil
}

// plain is the address that is meant: IPv4 in the clothes of IPv6 is IPv4.
func plain(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.WithZone("")
}

// own reports whether an address belongs to this machine: what listens there may trust those who come from within.
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

// sameDoor reports whether two URLs lead to one server: the same host and port, or from the usual port of http to that of https.
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

// explain says for people why a request failed.
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
		return fmt.Errorf("the proxy that the environment names cannot be reached: %w", explain(dial.Err))
	case errors.As(err, &dial) && dial.Op == "dial" && dial.Err != nil:
		return fmt.Errorf("no connection: %w", dial.Err)
	}
	return err
}
