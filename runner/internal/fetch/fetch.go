// Package fetch fetches web pages for a context. Neither a page's content nor its redirects are trusted: each
// connection and each redirect is checked by its real address, after its name was resolved.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Limits bound one page. Zero values mean the defaults.
type Limits struct {
	Bytes   int64         // of the page, unpacked; default 256 MiB
	Silence time.Duration // longest time without a byte; default 30 s
	// Time bounds the whole page, including redirects; each 64 KiB received adds a second. Default 1 min.
	Time time.Duration
}

const (
	mostRedirects = 10
	mostURL       = 8 << 10
	bytesASecond  = 64 << 10
	mostHeader    = 256 << 10
)

// Client fetches pages. Set its fields before its first use; then it is safe for concurrent use. Close it after
// use.
type Client struct {
	Agent string // User-Agent
	// Private allows a fetched URL to use a private address at its own host and port. Redirects to other private
	// addresses are refused.
	Private  bool
	Limits   Limits
	Resolver *net.Resolver                         // nil: the system's
	Proxy    func(*http.Request) (*url.URL, error) // nil: from the environment

	mu    sync.Mutex
	roads map[string]*http.Transport
}

// Page is a page being read.
type Page struct {
	Body io.ReadCloser // decompressed, and decoded if the server names the encoding
	URL  string        // after redirects
	// Name is a file name for the page: its extension distinguishes formats that start alike. It may be empty.
	Name     string
	Encoding string // named by the server and decoded; usually empty
	Time     time.Time
}

// Parse parses a URL that somebody wrote. Errors never show a password.
func Parse(address string) (*url.URL, error) {
	if len(address) > mostURL {
		return nil, fmt.Errorf("the URL has %s, more than servers accept", units.Bytes(int64(len(address))))
	}
	u, err := url.Parse(address)
	if err != nil {
		var parts *url.Error
		if errors.As(err, &parts) {
			err = parts.Err // without the URL, which may contain a password
		}
		return nil, fmt.Errorf("the URL is damaged: %w", err)
	}
	return u, check(u)
}

// check refuses URLs that are never fetched, wherever they lead.
func check(u *url.URL) error {
	switch {
	case u.Scheme == "":
		return errors.New("a URL must begin with http:// or https://")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s:// cannot be fetched: only http and https can", u.Scheme)
	case u.User != nil:
		return fmt.Errorf("the URL of %s contains a user name or password, which would end up in the log: "+
			"leave it out, or save the page to a file", u.Host)
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	}
	return nil
}

// Fetch requests a page and returns when its first bytes have arrived. Close its body, even after a read error.
func (c *Client) Fetch(ctx context.Context, address string) (*Page, error) {
	u, err := Parse(address)
	if err != nil {
		return nil, err
	}
	within, w := c.watch(ctx)
	page, err := c.follow(within, u, w)
	if err != nil {
		w.end()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	return page, err
}

// follow follows redirects.
func (c *Client) follow(ctx context.Context, u *url.URL, w *watch) (*Page, error) {
	given := u
	for hops := 0; ; hops++ {
		resp, err := c.get(ctx, u, c.Private && sameDoor(given, u))
		if err != nil {
			err = explain(w.why(err))
			if hops > 0 {
				err = fmt.Errorf("it redirects to %s: %w", u.Host, err)
			}
			return nil, err
		}
		next, err := redirect(u, resp)
		if err == nil && next == nil {
			return c.page(u, resp, w)
		}
		_ = resp.Body.Close() // the body of a redirect is not needed
		if err != nil {
			return nil, err
		}
		if hops == mostRedirects {
			return nil, fmt.Errorf("too many redirects: more than %d", mostRedirects)
		}
		u = next
	}
}

// get makes one request.
func (c *Client) get(ctx context.Context, u *url.URL, private bool) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.Agent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	road, err := c.road(req, private)
	if err != nil {
		return nil, err
	}
	return road.RoundTrip(req) // without an http.Client: no cookies or Referer, all redirects checked
}

// redirect is the target of a redirect; nil if the response is the page. Other statuses are errors.
func redirect(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil, nil
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, fmt.Errorf("HTTP %s",
			strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))))
	}
	to := resp.Header.Get("Location")
	if to == "" || len(to) > mostURL {
		return nil, fmt.Errorf("HTTP %d redirects without naming a target", resp.StatusCode)
	}
	u, err := from.Parse(to)
	if err != nil {
		return nil, fmt.Errorf("HTTP %d redirects to a damaged URL", resp.StatusCode)
	}
	if err := check(u); err != nil {
		return nil, fmt.Errorf("it redirects to something that cannot be fetched: %w", err)
	}
	return u, nil
}

// page converts a server's response.
func (c *Client) page(u *url.URL, resp *http.Response, w *watch) (*Page, error) {
	most := c.limits().Bytes
	if packed := resp.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		_ = resp.Body.Close() // the body is not needed
		return nil, fmt.Errorf("it is encoded as %.20q, which was not requested", packed)
	}
	if resp.ContentLength > most {
		_ = resp.Body.Close() // the body is not needed
		return nil, tooLarge(most)
	}
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind, params = "", nil
	}
	shown := *u
	shown.Fragment, shown.RawFragment = "", ""
	p := &Page{
		URL: shown.String(), Name: nameOf(u, kind, resp.Header.Get("Content-Disposition")),
		Time: time.Now().UTC(),
	}
	body := &body{w: w, from: resp.Body, left: most, most: most}
	p.Body, p.Encoding, err = decoded(body, kind, params["charset"])
	if err != nil {
		_ = body.Close() // the error has the reason
	}
	return p, err
}

// nameOf is a file name for the page. A name of a program ("index.php") does not count, because it does not reveal
// the format of the output.
func nameOf(u *url.URL, kind, disposition string) string {
	switch kind {
	case "text/html", "application/xhtml+xml":
		return "page.html"
	case "message/rfc822", "multipart/related":
		return "page.eml"
	}
	if _, params, err := mime.ParseMediaType(disposition); err == nil && params["filename"] != "" {
		return path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	}
	name := path.Base(u.Path)
	switch strings.ToLower(path.Ext(name)) {
	case ".php", ".asp", ".aspx", ".jsp", ".cgi", ".pl", ".py", ".rb", ".do":
		if kind != "text/plain" {
			return ""
		}
	}
	if name == "." || name == "/" {
		return ""
	}
	return name
}

// Close closes idle connections. Close all pages first.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.roads {
		t.CloseIdleConnections()
	}
	c.roads = nil
}
