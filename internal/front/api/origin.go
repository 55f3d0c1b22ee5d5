package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ownHost reports whether a request is addressed to this server: by a name of the loopback interface with any port,
// because a tunnel may change the port, or by a name given at the start. The name of a page that resolves to this
// machine (DNS rebinding) is neither.
func (s *Server) ownHost(host string) bool {
	name := hostname(host)
	if host == "" || strings.EqualFold(name, "localhost") || s.named(name) { // browsers always send a host
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.IsLoopback() || s.cfg.Insecure || s.cfg.TLS != nil)
}

// foreign reports whether a request was made by a page of another site. Browsers report this in Sec-Fetch-Site;
// without that header, the origin decides.
func (s *Server) foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return false
	case "cross-site", "same-site": // a link may open the page, which then makes same-origin requests
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
	case s.named(u.Hostname()) && s.named(hostname(r.Host)): // a proxy may have removed the port or terminated TLS
		return !strings.EqualFold(u.Hostname(), hostname(r.Host))
	}
	scheme := "http"
	if s.cfg.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return u.Host != r.Host || u.Scheme != scheme
}

// hostname returns a host without its port.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

// named reports whether the server was started with this name.
func (s *Server) named(name string) bool {
	return slices.ContainsFunc(s.cfg.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}
