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

// cookieName names the cookie that a browser was let in with. It includes the port, because the ports of a host
// share cookies.
func (s *Server) cookieName() string { return "rlm-" + s.port() }

// guard lets requests through that are authenticated and addressed to one of the server's own names. It sets the
// headers that restrict what a page of this server may do.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := newNonce()
		protect(w.Header(), nonce)
		w.Header().Set("Connection", "close") // strangers may not keep their connection
		if !s.ownHost(r.Host) {
			refuseIn(w, r, &session.Error{
				Code: "host", Message: "this server does not answer for " + r.Host + "; --host NAME adds a name",
			})
			return
		}
		if s.foreign(r) {
			refuseIn(w, r, &session.Error{Code: "origin", Message: "the request comes from a page of another site"})
			return
		}
		if r.URL.Path == "/api/v1/about" { // so that a command recognizes the server whose token it has; see Running
			w.Header().Set("Rlm-Server", hashed("server of "+s.keys.token()))
		}
		if s.probe(w, r) {
			return
		}
		if strings.HasPrefix(r.URL.Path, "/.well-known/") { // clients look for ways to log in; there is only the token
			refuse(w, notFound("there is no "+r.URL.Path))
			return
		}
		if c := r.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") {
			w.Header().Set("Accept-Encoding", "identity")
			refuseIn(w, r, &session.Error{
				Code: "media_type", Message: "a body with Content-Encoding " + c + " is not read: send it as it is",
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
		entered(next).ServeHTTP(w, r.WithContext(ctx))
	})
}

// arriving limits the time for the body of a request to arrive. Handlers that read a body change that deadline;
// without one, a request refused before its body has arrived would hold its connection. The rest of a large body
// is read after the response, because many clients send all of it before they read, and would see a broken
// connection instead of the refusal.
func arriving(next http.Handler) http.Handler {
	const mostLeft, least = 256 << 20, 256 << 10 // net/http itself reads less than least
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, control := r.Body, http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // every connection of the server supports deadlines
		}
		next.ServeHTTP(w, r)
		large := r.ContentLength > least || r.ContentLength < 0
		if large && r.ProtoMajor == 1 && control.Flush() == nil {
			_, _ = io.CopyN(io.Discard, body, mostLeft) // an incomplete body does no harm
		}
	})
}

// entered notes the authenticated user for the log.
func entered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen, ok := w.(*statusWriter); ok {
			seen.who = personOf(r.Context()).Name
		}
		next.ServeHTTP(w, r)
	})
}

// protect sets the headers that every response has.
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

// byPerson reports whether a request is a browser's navigation to the address of a page.
func byPerson(r *http.Request) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") &&
		!slices.Contains([]string{"api", "v1", "mcp", "assets"}, first)
}

// shutOut answers an unauthenticated request. Wrong tokens are refused for a while if there are too many of them;
// right ones never are.
func (s *Server) shutOut(w http.ResponseWriter, r *http.Request, tried bool, hint string) {
	if tried && !s.wrong.Allow() {
		w.Header().Set("Retry-After", "10")
		refuseIn(w, r, &session.Error{Code: "rate", Message: "too many wrong tokens; wait a little"})
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuseIn(w, r, &session.Error{Code: "token", Message: hint})
}
