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

// attempt is what is known of a request to a server with a URL: whether it can have taken effect.
type attempt struct {
	begun   bool   // it was handed to the network
	unsent  string // why it did not reach the server
	status  int    // of HTTP
	said    string // with a status that is no success
	named   bool   // said is an error of the protocol
	session bool   // it was made in a session
	forgot  bool   // the server does not know that session
	page    bool   // a web page came in the place of an answer, such as one to sign in
}

// attemptKey is the key of a request's *attempt in its context.
type attemptKey struct{}

// attemptOf is where to keep what becomes of a request; of one that no call waits for, nowhere in particular.
func attemptOf(req *http.Request) *attempt {
	a, ok := req.Context().Value(attemptKey{}).(*attempt)
	if !ok || req.Method != http.MethodPost {
		return &attempt{}
	}
	*a = attempt{begun: true, session: req.Header.Get("Mcp-Session-Id") != ""}
	return a
}

// failed takes note that there was no answer. A request without a connection reached nobody.
func (a *attempt) failed(err error) {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		a.unsent = "cannot be reached (" + text.Line(clean(op.Err.Error()), 200) + ")"
	}
}

// answered takes note of the answer.
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
	_ = json.Unmarshal(head, &m) // most say it in plain text
	said := string(head)
	if m.Error.Message != "" {
		said, a.named = m.Error.Message, true
	}
	if head = bytes.TrimSpace(head); !bytes.HasPrefix(head, []byte("<")) { // a page of HTML says nothing
		a.said = text.Line(clean(said), 300)
	}
	const noSuchMethod, badArguments = -32601, -32602
	a.forgot = a.session && m.Error.Code != noSuchMethod && m.Error.Code != badArguments &&
		(a.status == http.StatusNotFound || a.status == http.StatusGone ||
			a.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(head), []byte("session")))
}

// rewoundBody is a body of which the beginning was read already.
type rewoundBody struct {
	io.Reader
	io.Closer
}

// answers reports whether an error is what the tool's server says of the call, and not what became of the connection.
func (a *attempt) answers() bool {
	return !a.begun && a.unsent == "" || a.status/100 == 2 || a.named && !a.forgot
}

// outdated reports whether the request did not take effect because its session is over.
func (a *attempt) outdated() bool { return a.forgot || !a.begun }

// passing reports whether the session can be used all the same.
func (a *attempt) passing() bool {
	return a.unsent != "" || a.status == http.StatusTooManyRequests || a.status >= 500 && a.status <= 504
}

// refusal says why the request did not take effect; ok is false where that is not known.
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

// http is the status of the answer, with a note and what was said.
func (a *attempt) http(note string) string {
	if a.said != "" {
		note += " (" + a.said + ")"
	}
	return fmt.Sprintf("HTTP %d %s%s", a.status, http.StatusText(a.status), note)
}

// ending says what became of a request of which that is all that is known.
func (a *attempt) ending() string {
	if a.page {
		return "gave a web page (to sign in?) as the answer to"
	}
	if a.status/100 == 2 || a.status == 0 {
		return "ended or was cut off during"
	}
	return "answered " + a.http("") + " to"
}

// movedError says that a server answers at another address, to which a request with a body is not sent on.
type movedError struct {
	status int
	to     *url.URL
}

func (m *movedError) Error() string {
	return fmt.Sprintf("it moved to %s (HTTP %d): name it by that address", text.Line(clean(m.to.Redacted()), 500), m.status)
}

// withBody follows redirections that keep the request as it is. Of others a GET would come, which the
// protocol does not mean.
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
