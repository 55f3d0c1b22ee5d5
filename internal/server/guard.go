package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner"
)

// cookieName holds what a browser was let in with. The name says the port: cookies of one host are shared by its ports.
func (s *Server) cookieName() string { return "rlm-" + s.port() }

// guard lets requests through that come from who may speak, by an address that is the server's own. It says everything that a
// browser should know about how little a page of this server may do.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := newNonce()
		protect(w.Header(), nonce)
		if r.URL.Path == "/api/v1/about" { // so that a command knows the server that it has the token of; see Running
			w.Header().Set("Rlm-Server", hashed("server of "+s.keys.token()))
		}
		if !s.ownHost(r.Host) {
			refuseIn(w, r, &failure{http.StatusMisdirectedRequest, "host", "this server does not answer for " + r.Host + "; --host NAME adds a name", nil})
			return
		}
		if foreign(r) {
			refuseIn(w, r, &failure{http.StatusForbidden, "origin", "the request comes from a page of another site", nil})
			return
		}
		if s.probe(w, r) {
			return
		}
		if r.Method == http.MethodGet && r.URL.Query().Has("token") && !strings.HasPrefix(r.URL.Path, "/api/") && !isOpenAI(r) {
			s.enter(w, r)
			return
		}
		who, tried, ok := s.known(r)
		if !ok {
			hint := "open the address that rlm serve printed, or send its token as a bearer token"
			if byPerson(r) {
				hint = "open the address that rlm serve printed: it lets this browser in"
			}
			s.shutOut(w, r, tried, hint)
			return
		}
		ctx := context.WithValue(context.WithValue(r.Context(), nonceKey{}, nonce), personKey{}, who)
		ctx = runner.UnderSpan(ctx, r.Header.Get("Traceparent"), r.Header.Get("Tracestate"))
		entered(next).ServeHTTP(w, r.WithContext(ctx))
	})
}

// arriving bounds how long the body of a request may take. Who reads one says otherwise; without a bound, a request that is refused before its
// body has come in would hold its connection, since net/http reads on to the body's end before it answers.
func arriving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // every connection of the server has deadlines
		}
		next.ServeHTTP(w, r)
	})
}

// entered notes for the log who was let in.
func entered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen, ok := w.(*statusWriter); ok {
			seen.who = personOf(r.Context()).Name
		}
		next.ServeHTTP(w, r)
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

// byPerson reports whether a browser was sent to an address of the page.
func byPerson(r *http.Request) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") && !slices.Contains([]string{"api", "v1", "mcp", "assets"}, first)
}

// enter exchanges the token of the printed address for a cookie, and takes it out of the address.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	who, ok := s.holder(q.Get("token"))
	if !ok {
		s.shutOut(w, r, true, "this is not the server's token: open the address that rlm serve printed")
		return
	}
	user := who.Name
	if who.Owner {
		user = ""
	}
	cookie, err := s.keys.letIn(user, time.Now())
	if err != nil {
		refuse(w, &failure{http.StatusInternalServerError, "disk", err.Error(), nil})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: cookie, Path: "/", MaxAge: int(cookieLife.Seconds()), HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	q.Del("token")
	// A path that begins with two slashes would lead to another server.
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, `/\`), RawQuery: q.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// holder is who has a token.
func (s *Server) holder(token string) (Person, bool) {
	if s.keys.isToken(token) {
		return Person{ownerName, true}, true
	}
	name, ok := s.users.of(token)
	return Person{Name: name}, ok
}

// known finds who makes a request, by a token or by a browser's cookie. tried says that there was one.
func (s *Server) known(r *http.Request) (who Person, tried, ok bool) {
	if auth := r.Header.Get("Authorization"); auth != "" {
		bearer, _ := strings.CutPrefix(auth, "Bearer ")
		who, ok = s.holder(bearer)
		return who, true, ok
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return Person{}, false, false
	}
	user, ok := s.keys.knows(c.Value, time.Now())
	switch {
	case !ok:
		return Person{}, true, false
	case user == "":
		return Person{ownerName, true}, true, true
	}
	return Person{Name: user}, true, s.users.has(user)
}

// shutOut answers a request of somebody who is not known. Wrong tokens are refused for a while when there are many of them; right ones
// never are.
func (s *Server) shutOut(w http.ResponseWriter, r *http.Request, tried bool, hint string) {
	if tried && !s.wrong.Allow() {
		w.Header().Set("Retry-After", "10")
		refuseIn(w, r, &failure{http.StatusTooManyRequests, "rate", "too many wrong tokens; wait a little", nil})
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuseIn(w, r, &failure{http.StatusUnauthorized, "token", hint, nil})
}
