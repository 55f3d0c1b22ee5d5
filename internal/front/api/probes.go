package api

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// probe answers requests of monitoring programs, and reports whether it did. /healthz and /readyz reveal nothing
// and need no token; /metrics needs the owner's token, unless a program of this machine asks.
func (s *Server) probe(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch r.URL.Path {
	case "/healthz":
		plain(w, http.StatusOK, "ok\n")
	case "/readyz":
		if s.down.Err() != nil {
			plain(w, http.StatusServiceUnavailable, "shutting down\n")
			break
		}
		plain(w, http.StatusOK, "ok\n")
	case "/metrics":
		who, tried, ok := s.known(r)
		if owner := ok && who.Owner; !owner && (tried || !s.fromHere(r)) {
			s.shutOut(w, r, tried && !ok, "metrics need the server's token")
			break
		}
		if s.cfg.Metrics == nil {
			plain(w, http.StatusNotFound, "metrics are off\n")
			break
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		if err := s.cfg.Metrics(r.Context(), w); err != nil {
			s.cfg.Log.Warn("writing the metrics", "error", err)
		}
	default:
		return false
	}
	return true
}

// isProbe reports whether probe answers a path.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails only if the client is gone
}

// fromHere reports whether a request comes from a program of this machine. A proxy of this machine passes on requests
// of others; it says so, or asks for the name that they used.
func (s *Server) fromHere(r *http.Request) bool {
	for _, name := range []string{
		"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
	} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return s.onLoopback() && (host == "localhost" || err == nil && addr.IsLoopback())
}

// onLoopback reports whether the server listens only on the loopback interface.
func (s *Server) onLoopback() bool {
	host, _, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
