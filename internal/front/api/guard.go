package api

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/host"
)

// cookieName returns the name of the cookie for logged-in browsers. It contains the port, because the ports of a
// host share cookies.
func (s *Server) cookieName() string { return "rlm-" + s.port() }

// guard passes on requests that are authenticated and addressed to one of the server's own names, and refuses
// others. It sets the headers that restrict what a page of this server can do.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := newNonce()
		protect(w.Header(), nonce)
		w.Header().Set("Connection", "close") // unless the request is authenticated
		if !s.ownHost(r.Host) {
			refuseIn(w, r, &session.Error{
				Code: "host", Message: "this server does not answer to the name " + r.Host + "; --host NAME adds one",
			})
			return
		}
		if s.foreign(r) {
			refuseIn(w, r, &session.Error{Code: "origin", Message: "the request comes from a page on another site"})
			return
		}
		if r.URL.Path == "/api/v1/about" { // Running recognizes the server by this header
			w.Header().Set("Rlm-Server", hashed("server of "+s.keys.token()))
		}
		if s.probe(w, r) {
			return
		}
		if strings.HasPrefix(r.URL.Path, "/.well-known/") { // where clients look for ways to log in
			refuse(w, notFound("there is no "+r.URL.Path))
			return
		}
		if c := r.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") {
			w.Header().Set("Accept-Encoding", "identity")
			refuseIn(w, r, &session.Error{
				Code: "media_type", Message: "a body with Content-Encoding " + c + " is not accepted: send it uncompressed",
			})
			return
		}
		if r.Method == http.MethodGet && r.URL.Query().Has("token") && !strings.HasPrefix(r.URL.Path, "/api/") &&
			!isOpenAI(r) {
			s.enter(w, r)
			return
		}
		if r.Method == http.MethodPost && r.URL.Path == enterPath {
			s.consent(w, r)
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
		ctx, leave, err := s.visitors.enter(r.Context(), who)
		if err != nil {
			refuseIn(w, r, session.ErrorOf(err))
			return
		}
		defer leave()
		if s.conns.known(r.Context(), who.Name) {
			w.Header().Del("Connection")
		}
		ctx = context.WithValue(context.WithValue(ctx, nonceKey{}, nonce), visitorKey{}, who)
		ctx = host.UnderSpan(ctx, r.Header.Get("Traceparent"), r.Header.Get("Tracestate"))
		r = r.WithContext(ctx)
		if r.ContentLength != 0 {
			r.Body = &allowedBody{r.Body, ctx}
			defer context.AfterFunc(ctx, func() { // a read in progress would wait for the client
				if lostAccess(ctx) {
					_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
				}
			})()
		}
		entered(next).ServeHTTP(w, r)
	})
}

// arriving limits the time in which the body of a request must arrive; without a limit, a request that is refused
// before its body has arrived would keep its connection. Handlers that read a body change the limit. The rest of a
// large body is read after the response, because many clients send all of it before they read, and would see a
// broken connection instead of the refusal.
func arriving(next http.Handler) http.Handler {
	const mostLeft, least = 256 << 20, 256 << 10 // net/http itself reads up to least
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, control := r.Body, http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // all connections of the server support deadlines
		}
		next.ServeHTTP(w, r)
		large := r.ContentLength > least || r.ContentLength < 0
		if large && r.ProtoMajor == 1 && control.Flush() == nil {
			_, _ = io.CopyN(io.Discard, body, mostLeft) // an incomplete body does no harm
		}
	})
}

// entered records the authenticated user of a request for the log.
func entered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen, ok := w.(*statusWriter); ok {
			seen.who = personOf(r.Context()).Name
		}
		next.ServeHTTP(w, r)
	})
}

// protect sets the headers that all responses have.
func protect(h http.Header, nonce string) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+
		"'; connect-src 'self'; img-src 'self' data:; "+
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

// byPerson reports whether a request is a browser's navigation to a page.
func byPerson(r *http.Request) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") &&
		!slices.Contains([]string{"api", "v1", "openai", "mcp", "assets"}, first)
}

// shutOut refuses an unauthenticated request. After too many wrong tokens, further wrong ones get the status 429
// for a while; correct tokens are always accepted.
func (s *Server) shutOut(w http.ResponseWriter, r *http.Request, tried bool, hint string) {
	if tried && !s.wrong.Allow() {
		w.Header().Set("Retry-After", "10")
		refuseIn(w, r, &session.Error{Code: "rate", Message: "too many wrong tokens; wait a moment"})
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuseIn(w, r, &session.Error{Code: "token", Message: hint})
}
