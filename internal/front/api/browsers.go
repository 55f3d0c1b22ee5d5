package api

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
)

// browser is a browser that was logged in.
type browser struct {
	At    time.Time `json:"at"`
	Used  time.Time `json:"used,omitzero"`
	Agent string    `json:"agent,omitempty"` // its User-Agent
	User  string    `json:"user,omitempty"`  // empty for the owner
	Who   string    `json:"who,omitempty"`   // identity of the user, so that a later user of this name is not let in
	Page  string    `json:"page,omitempty"`  // hash of the key that the page keeps in the browser
}

const (
	cookieLife  = 30 * 24 * time.Hour
	mostCookies = 64        // per user; the least recently used ones are dropped
	usedEvery   = time.Hour // a use is saved at most this often
)

func (b browser) person() session.Person {
	if b.User == "" {
		return owner()
	}
	return session.Person{Name: b.User, Identity: b.Who}
}

func (b browser) lastUsed() time.Time {
	if b.Used.After(b.At) {
		return b.Used
	}
	return b.At
}

// letIn makes a cookie for somebody's browser. The cookie is random, so that the token cannot be derived from it.
func (k *keyring) letIn(who session.Person, agent string, now time.Time) (cookie string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept.Browsers == nil {
		k.kept.Browsers = map[string]browser{}
	}
	maps.DeleteFunc(k.kept.Browsers, func(_ string, b browser) bool { return now.Sub(b.At) > cookieLife })
	for own := k.of(who); len(own) >= mostCookies; own = own[:len(own)-1] {
		delete(k.kept.Browsers, own[len(own)-1].ID)
	}
	cookie = secret()
	of := browser{At: now, Who: who.Identity, Agent: text.Line(agent, 200)}
	if !who.Owner {
		of.User = who.Name
	}
	k.kept.Browsers[hashed(cookie)] = of
	return cookie, k.save()
}

// knows returns the user who was let in with a cookie. id is the hash of the cookie.
func (k *keyring) knows(id string, now time.Time) (who session.Person, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.kept.Browsers[id]
	if !ok || now.Sub(b.At) > cookieLife {
		return session.Person{}, false
	}
	if now.Sub(b.lastUsed()) > usedEvery {
		b.Used = now
		k.kept.Browsers[id] = b
		_ = k.save() // after an error, a later use saves it
	}
	return b.person(), true
}

// isPage reports whether a browser's request comes from this server's page. Browsers send cookies to all ports of a
// host, where somebody else's server may listen, but only the page has its key. The first key that arrives with a
// cookie is assumed to be the page's.
func (k *keyring) isPage(id, key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.kept.Browsers[id]
	if b.Page == "" && key != "" {
		b.Page = hashed(key)
		k.kept.Browsers[id] = b
		_ = k.save() // after an error, a later use saves it
	}
	return b.Page == "" || b.Page == hashed(key)
}

// logOut deletes a browser, so that its cookie is no longer valid.
func (k *keyring) logOut(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.kept.Browsers[id]; !ok {
		return notFound("there is no such browser")
	}
	delete(k.kept.Browsers, id)
	return k.save()
}

// of returns somebody's browsers, most recently used first. The caller holds mu.
func (k *keyring) of(who session.Person) []Browser {
	out := []Browser{}
	for id, b := range k.kept.Browsers {
		if b.person() == who {
			out = append(out, Browser{ID: id, Since: b.At, Used: b.lastUsed(), Agent: b.Agent})
		}
	}
	slices.SortFunc(out, func(a, b Browser) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Browser is a browser in which somebody is logged in.
type Browser struct {
	ID    string    `json:"id"`
	Since time.Time `json:"since"`
	Used  time.Time `json:"used"`            // with a precision of an hour
	Agent string    `json:"agent,omitempty"` // its User-Agent
	This  bool      `json:"this,omitempty"`  // the browser that sent this request
}

// Browsers are the browsers of one user.
type Browsers struct {
	Browsers []Browser `json:"browsers"`
}

// browserCommands returns the commands about the caller's browsers.
func (s *Server) browserCommands() []session.Command {
	command := func(name, route string) session.Command {
		return session.Command{Name: name, Group: "Server", Route: route}
	}
	return []session.Command{
		session.Define(command("browsers", "GET browsers"), "The browsers that you are logged in with.", s.browsers),
		session.Define(command("log out", "DELETE browsers/{browser}"),
			"Log out one of your browsers; this means the one that sends the request, all means all of them.", s.logOut),
	}
}

func (s *Server) browsers(ctx context.Context, c *session.Call, _ struct{}) (Browsers, error) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	out := Browsers{s.keys.of(c.Who)}
	for i, b := range out.Browsers {
		out.Browsers[i].This = b.ID == visitorOf(ctx).browser
	}
	return out, nil
}

// logOut logs browsers out, and ends their streams.
func (s *Server) logOut(ctx context.Context, c *session.Call, _ struct{}) (struct{}, error) {
	all, err := s.browsers(ctx, c, struct{}{})
	id, found := c.Params["browser"], false
	for _, b := range all.Browsers {
		if err == nil && (id == "all" || b.ID == id || id == "this" && b.This) {
			found, err = true, s.keys.logOut(b.ID)
		}
	}
	if err == nil && !found {
		err = notFound("you have no such browser")
	}
	s.visitors.check()
	return struct{}{}, err
}
