package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ownHost reports whether a request is for this server: by a name of the loopback with any port, since a tunnel may change it, or by a
// name that was given at the start. A page that had its name resolve to this machine has another one.
func (s *Server) ownHost(host string) bool {
	name := hostname(host)
	if host == "" || strings.EqualFold(name, "localhost") || s.named(name) { // no browser leaves it out
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.IsLoopback() || s.cfg.Insecure || s.cfg.TLS != nil)
}

// foreign reports whether a page of another site makes the request. A browser says so itself; one that does not is
// judged by the origin.
func (s *Server) foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return false
	case "cross-site", "same-site": // a link from elsewhere may lead to the page, which then asks for itself
		return r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	switch {
	case err != nil:
		return true
	case s.named(u.Hostname()) && s.named(hostname(r.Host)): // a proxy may have dropped the port, and speaks TLS for the server
		return !strings.EqualFold(u.Hostname(), hostname(r.Host))
	}
	scheme := "http"
	if s.cfg.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return u.Host != r.Host || u.Scheme != scheme
}

// hostname is a host without its port.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

// named reports whether a name was given to the server when it was started.
func (s *Server) named(name string) bool {
	return slices.ContainsFunc(s.cfg.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}
