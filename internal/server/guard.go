package server

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// cookieName holds what a browser was let in with. The name says the port: cookies of one host are shared by its ports.
func (s *Server) cookieName() string { return "rlm-" + s.port() }

// guard lets requests through that come from who may speak, by an address that is the server's own. It says everything that a
// browser should know about how little a page of this server may do.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := newNonce()
		protect(w.Header(), nonce)
		switch {
		case !s.ownHost(r.Host):
			fail(w, http.StatusMisdirectedRequest, "host", "this server does not answer for "+r.Host+"; --host NAME adds a name")
		case foreign(r):
			fail(w, http.StatusForbidden, "origin", "the request comes from a page of another site")
		case r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.enter(w, r)
		case !s.known(r):
			s.refuse(w, r.Header.Get("Authorization") != "", "open the address that rlm serve printed, or send its token as a bearer token")
		default:
			next.ServeHTTP(w, r.WithContext(withNonce(r.Context(), nonce)))
		}
	})
}

// protect sets the headers that every answer has.
func protect(h http.Header, nonce string) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; connect-src 'self'; img-src 'self' data:; "+
		"font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

func newNonce() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return base64.RawStdEncoding.EncodeToString(b)
}

// ownHost reports whether a request is for this server: by a name of the loopback with any port, since a tunnel may change it, or by a
// name that was given at the start. A page that had its name resolve to this machine has another one.
func (s *Server) ownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if strings.EqualFold(name, "localhost") || slices.ContainsFunc(s.cfg.Hosts, func(own string) bool { return strings.EqualFold(own, name) }) {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.IsLoopback() || s.cfg.Insecure || s.cfg.TLS != nil)
}

// foreign reports whether a page of another site makes the request.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err != nil || u.Host != r.Host
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	// A link from elsewhere may lead to the page, which then asks for itself.
	return r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// enter exchanges the token of the printed address for a cookie, and takes it out of the address.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if !s.keys.isToken(r.URL.Query().Get("token")) {
		s.refuse(w, true, "this is not the server's token: open the address that rlm serve printed")
		return
	}
	cookie, err := s.keys.letIn(time.Now())
	if err != nil {
		fail(w, http.StatusInternalServerError, "disk", err.Error())
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: cookie, Path: "/", MaxAge: int(cookieLife.Seconds()), HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// known reports whether a request has the token or a browser's cookie.
func (s *Server) known(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.keys.isToken(bearer)
	}
	c, err := r.Cookie(s.cookieName())
	return err == nil && s.keys.knows(c.Value, time.Now())
}

// refuse answers a request of somebody who is not known. Wrong tokens are answered slowly by and by; right ones never are.
func (s *Server) refuse(w http.ResponseWriter, tried bool, hint string) {
	if tried && !s.wrong.Allow() {
		w.Header().Set("Retry-After", "10")
		fail(w, http.StatusTooManyRequests, "rate", "too many wrong tokens; wait a little")
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	fail(w, http.StatusUnauthorized, "token", hint)
}
