package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"

	"github.com/gorlm/rlm/internal/kit/text"
)

// attempt is what is known about a request to a server with a URL: whether it may have taken effect.
type attempt struct {
	begun   bool   // the request was passed to the network
	unsent  string // why the request did not reach the server
	status  int    // HTTP status
	said    string // the body's message, if the status is not a success
	named   bool   // said comes from a protocol error
	session bool   // the request belonged to a session
	forgot  bool   // the server does not know that session
	page    bool   // the response is a web page, such as a sign-in page
}

// attemptKey is the key of a request's *attempt in its context.
type attemptKey struct{}

// attemptOf returns the record of a request's outcome. If no call waits for the request, nobody reads the record.
func attemptOf(req *http.Request) *attempt {
	a, ok := req.Context().Value(attemptKey{}).(*attempt)
	if !ok || req.Method != http.MethodPost {
		return &attempt{}
	}
	*a = attempt{begun: true, session: req.Header.Get("Mcp-Session-Id") != ""}
	return a
}

// failed records that there was no response. Without a connection, the request has not reached the server.
func (a *attempt) failed(err error) {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		a.unsent = "cannot be reached (" + text.Line(clean(op.Err.Error()), 200) + ")"
	}
}

// answered records the response.
func (a *attempt) answered(req *http.Request, resp *http.Response) {
	a.status = resp.StatusCode
	switch {
	case a.status/100 == 2:
		kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		a.page = kind == "text/html" || kind == "application/xhtml+xml"
		return
	case a.status/100 == 3:
		if to, err := req.URL.Parse(resp.Header.Get("Location")); err == nil {
			a.said = (&movedError{a.status, to}).Error()
		}
		return
	}
	head, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	resp.Body = &rewoundBody{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	if err != nil {
		return
	}
	var m struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(head, &m) // most responses are plain text
	said := string(head)
	if m.Error.Message != "" {
		said, a.named = m.Error.Message, true
	}
	if head = bytes.TrimSpace(head); !bytes.HasPrefix(head, []byte("<")) { // HTML is of no use in a message
		a.said = text.Line(clean(said), 300)
	}
	const noSuchMethod, badArguments = -32601, -32602
	a.forgot = a.session && m.Error.Code != noSuchMethod && m.Error.Code != badArguments &&
		(a.status == http.StatusNotFound || a.status == http.StatusGone ||
			a.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(head), []byte("session")))
}

// rewoundBody is a body whose beginning, which was read already, is read again.
type rewoundBody struct {
	io.Reader
	io.Closer
}

// answers reports whether an error comes from the tool's server, about the call, and not from the connection.
func (a *attempt) answers() bool {
	return !a.begun && a.unsent == "" || a.status/100 == 2 || a.named && !a.forgot
}

// outdated reports whether the request had no effect because its session is over.
func (a *attempt) outdated() bool { return a.forgot || !a.begun }

// passing reports whether the failure is temporary and the session still usable.
func (a *attempt) passing() bool {
	return a.unsent != "" || a.status == http.StatusTooManyRequests || a.status >= 500 && a.status <= 504
}

// refusal is the reason why the request had no effect; ok is false if that is not known.
func (a *attempt) refusal() (why string, ok bool) {
	switch {
	case a.unsent != "":
		return a.unsent, true
	case a.status/100 != 4 && a.status/100 != 3 || a.status == http.StatusRequestTimeout:
		return "", false
	}
	note := ""
	if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		note = ", as it does where a token has expired or does not suffice"
	}
	return "refused it with " + a.http(note), true
}

// http is the status of the response, with a note and its message.
func (a *attempt) http(note string) string {
	if a.said != "" {
		note += " (" + a.said + ")"
	}
	return fmt.Sprintf("HTTP %d %s%s", a.status, http.StatusText(a.status), note)
}

// ending describes the end of a request about which nothing else is known.
func (a *attempt) ending() string {
	if a.page {
		return "gave a web page (to sign in?) as the answer to"
	}
	if a.status/100 == 2 || a.status == 0 {
		return "ended or was cut off during"
	}
	return "answered " + a.http("") + " to"
}

// movedError reports a server's new address, to which a request with a body is not redirected.
type movedError struct {
	status int
	to     *url.URL
}

func (m *movedError) Error() string {
	return fmt.Sprintf("it moved to %s (HTTP %d): name it by that address", text.Line(clean(m.to.Redacted()), 500),
		m.status)
}

// withBody follows redirects that keep the request unchanged. Others would turn it into a GET, which the protocol
// does not intend.
func withBody(req *http.Request, via []*http.Request) error {
	const most = 10
	switch {
	case len(via) >= most:
		return fmt.Errorf("it redirects more than %d times", most)
	case req.Method != via[0].Method:
		return &movedError{req.Response.StatusCode, req.URL}
	}
	return nil
}
