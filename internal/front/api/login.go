package api

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/web"
	"github.com/gorlm/rlm/internal/session"
)

// enterPath is the path to which the form is sent in which a user confirms a login.
const enterPath = "/enter"

// enter exchanges the token in the printed address for a cookie, and redirects to the address without the token. If
// the link is on another site, or would log the browser in as another user, it asks first, because the user may not
// intend that.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	token := q.Get("token")
	who, ok := s.holder(token)
	if !ok {
		s.shutOut(w, r, true, "this is not the server's token: open the address that rlm serve printed")
		return
	}
	q.Del("token")
	to := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	was, _, in := s.byCookie(r)
	if other := in && was.Person != who; other || r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		h := w.Header()
		// The browser sends the form's origin only if the referrer policy of the page allows it.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Content-Security-Policy",
			strings.Replace(h.Get("Content-Security-Policy"), "form-action 'none'", "form-action 'self'", 1))
		h.Set("Content-Type", "text/html; charset=utf-8")
		name := ""
		if other {
			name = was.Name
		}
		_, _ = w.Write(web.Consent(name, who.Name, prefixOf(r)+enterPath, token, to.String())) // the client may be gone
		return
	}
	s.letIn(w, r, who, to.String())
}

// consent lets a browser in after its user has agreed.
func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	who, ok := s.holder(r.PostFormValue("token"))
	if !ok {
		s.shutOut(w, r, true, "this is not the server's token: open the address that rlm serve printed")
		return
	}
	s.letIn(w, r, who, r.PostFormValue("to"))
}

// letIn gives a browser a cookie and redirects it to a page of this server.
func (s *Server) letIn(w http.ResponseWriter, r *http.Request, who session.Person, to string) {
	was, _ := r.Cookie(s.cookieName())
	if was != nil {
		_ = s.keys.logOut(hashed(was.Value)) // the browser gets another cookie in any case
	}
	cookie, err := s.keys.letIn(who, r.UserAgent(), time.Now())
	if err != nil {
		refuse(w, &session.Error{Code: "disk", Message: err.Error()})
		return
	}
	s.setCookie(w, r, cookie, int(cookieLife.Seconds()))
	u, err := url.Parse(to)
	if err != nil {
		u = &url.URL{}
	}
	// A path that begins with two slashes would redirect to another server.
	at := url.URL{Path: prefixOf(r) + "/" + strings.TrimLeft(u.Path, `/\`), RawQuery: u.RawQuery}
	http.Redirect(w, r, at.String(), http.StatusSeeOther)
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: prefixOf(r) + "/", MaxAge: seconds, HttpOnly: true,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", SameSite: http.SameSiteStrictMode,
	})
}

// owner returns the owner of the data folder.
func owner() session.Person { return session.Person{Name: session.OwnerName, Owner: true} }

// holder returns the person to whom a token belongs.
func (s *Server) holder(token string) (session.Person, bool) {
	if s.keys.isToken(token) {
		return owner(), true
	}
	return s.users.of(token)
}

// known authenticates a request by its token or its browser's cookie. tried reports whether it had either.
func (s *Server) known(r *http.Request) (who visitor, tried, ok bool) {
	if token, sent := tokenOf(r.Header); sent {
		who.Person, ok = s.holder(token)
		return who, true, ok
	}
	return s.byCookie(r)
}

// tokenOf returns the token of a request: a bearer token, or the key in the header that clients of Azure's and
// Anthropic's APIs send. No page of another site can make a browser send either. Credentials of another scheme are not
// meant for this server: they come from browsers that a proxy has asked for a password.
func tokenOf(h http.Header) (token string, sent bool) {
	scheme, token, two := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if two && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), true
	}
	if !two && scheme != "" {
		return scheme, true
	}
	for _, name := range []string{"Api-Key", "X-Api-Key"} {
		if token := strings.TrimSpace(h.Get(name)); token != "" {
			return token, true
		}
	}
	return "", false
}

func (s *Server) byCookie(r *http.Request) (who visitor, tried, ok bool) {
	c, err := r.Cookie(s.cookieName())
	if errors.Is(err, http.ErrNoCookie) {
		return visitor{}, false, false
	}
	who.browser = hashed(c.Value)
	if who.Person, ok = s.keys.knows(who.browser, time.Now()); !ok {
		return visitor{}, true, false
	}
	if page := s.keys.isPage(who.browser, r.Header.Get("Rlm-Page")); !page && writes(r) {
		return visitor{}, true, false
	}
	return who, true, s.present(who.Person)
}

// writes reports whether a request may change something. Other requests need not come from the page, because the
// browser sends its navigations without the page's key.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Upgrade") != ""
}

// present reports whether a person who was let in still has access. Removed users do not.
func (s *Server) present(who session.Person) bool { return who.Owner || s.users.has(who) }

// may reports whether the sender of a request still has access. A browser that was logged out does not.
func (s *Server) may(who visitor) bool {
	if who.browser != "" {
		if _, in := s.keys.knows(who.browser, time.Now()); !in {
			return false
		}
	}
	return s.present(who.Person)
}

// check ends the tasks and the requests of people who have lost access.
func (s *Server) check() {
	gone := s.users.leavers()
	s.visitors.check() // first, so that streams end with the reason
	for _, who := range gone {
		s.sessions.Dismiss(who)
		s.agents.dismiss(who)
	}
}
