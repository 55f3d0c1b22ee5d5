// Package client asks a server that rlm serve runs: for its sessions, to do something in them, and for what happens.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Client is one who asks a server. It is safe for concurrent use.
type Client struct {
	base   url.URL
	token  string
	window string // names this client in the states of sessions
	http   *http.Client
}

// New makes a client of the server at an address. The token is that of the address (?token=…) unless one is given.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of a server: it is http://HOST:PORT or https://HOST:PORT", address)
	}
	if token == "" {
		token = u.Query().Get("token")
	}
	return &Client{
		base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/v1/"}, token: token, window: rand.Text(),
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("the server sends elsewhere") }},
	}, nil
}

// Window is the name of this client in the states of sessions.
func (c *Client) Window() string { return c.window }

// Error is a refusal of the server.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	State   *State `json:"state"` // what a busy session does
}

func (e *Error) Error() string { return e.Message }

// State is what a session does. Doing is empty when it is free.
type State struct {
	Doing  string    `json:"doing"`
	By     string    `json:"by"`
	Client string    `json:"client"`
	Since  time.Time `json:"since"`
	Ahead  *int      `json:"ahead"` // questions that are answered before this one
	Open   bool      `json:"open"`
}

// Session is a session as a list shows it.
type Session struct {
	ID string `json:"id"`
	trajectory.Summary
	Owner  string `json:"owner"`
	Shared bool   `json:"shared"`
	State  State  `json:"state"`
}

// Begun says that something began. Again says that the request was made before, and that nothing else began.
type Begun struct {
	Session string `json:"session"`
	State   State  `json:"state"`
	Again   bool   `json:"again"`
	Seq     int64  `json:"seq"`
}

// Choice is what can be chosen for a question.
type Choice struct {
	Model    string          `json:"model,omitempty"`
	SubModel string          `json:"sub_model,omitempty"`
	Mode     string          `json:"mode,omitempty"`
	Budgets  *runner.Budgets `json:"budgets,omitempty"`
}

// NewKey is a key for a request that must take effect once, however often it is sent.
func NewKey() string { return rand.Text() }

// Sessions lists the sessions whose name, question, answer or id holds q, the newest first; limit 0 means all.
func (c *Client) Sessions(ctx context.Context, q string, limit int) (list []Session, total int, err error) {
	var out struct {
		Sessions []Session
		Total    int
	}
	err = c.get(ctx, "sessions", url.Values{"q": {q}, "limit": {fmt.Sprint(limit)}}, &out)
	for i := range out.Sessions {
		out.Sessions[i].Summary.ID = out.Sessions[i].ID
	}
	return out.Sessions, out.Total, err
}

// Session is the session with an id, which may be shortened.
func (c *Client) Session(ctx context.Context, id string) (s Session, err error) {
	err = c.get(ctx, "sessions/"+url.PathEscape(id), nil, &s)
	s.Summary.ID = s.ID
	return s, err
}

// Create makes a session without documents, once for each key.
func (c *Client) Create(ctx context.Context, key string) (s Session, err error) {
	err = c.post(ctx, "sessions", key, map[string]any{"empty": true}, &s)
	s.Summary.ID = s.ID
	return s, err
}

// Fork makes a copy of a session, once for each key. With a turn from 0 it has the last question up to the end of that turn, and goes on live
// from there; below 0 it has everything, and nothing goes on.
func (c *Client) Fork(ctx context.Context, id, key string, turn int) (s Session, err error) {
	in := map[string]any{}
	if turn >= 0 {
		in["turn"] = turn
	}
	err = c.post(ctx, "sessions/"+id+"/fork", key, in, &s)
	s.Summary.ID = s.ID
	return s, err
}

// Export writes a session in one of the formats of package export. After an error what was written is not whole.
func (c *Client) Export(ctx context.Context, id, format string, w io.Writer) error {
	req, err := c.request(ctx, http.MethodGet, "sessions/"+id+"/export", nil)
	if err != nil {
		return err
	}
	req.URL.RawQuery = url.Values{"format": {format}}.Encode()
	res, err := c.send(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err = io.Copy(w, res.Body); errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the server broke off: what came of the session is not whole")
	}
	return err
}

// Ask puts a question, once for each key.
func (c *Client) Ask(ctx context.Context, id, key, question string, choice Choice) (b Begun, err error) {
	return b, c.post(ctx, "sessions/"+id+"/ask", key, struct {
		Question string `json:"question"`
		Choice
	}{question, choice}, &b)
}

// Cell runs a cell, once for each key.
func (c *Client) Cell(ctx context.Context, id, key, source string) (b Begun, err error) {
	return b, c.post(ctx, "sessions/"+id+"/cells", key, map[string]any{"source": source}, &b)
}

// Do begins what needs nothing more to be said: stop, undo, resume.
func (c *Client) Do(ctx context.Context, id, doing string) (b Begun, err error) {
	return b, c.post(ctx, "sessions/"+id+"/"+doing, "", map[string]any{}, &b)
}

// Review approves an answer, or sends it back with a note, once for each key.
func (c *Client) Review(ctx context.Context, id, key string, approved bool, note string) (b Begun, err error) {
	return b, c.post(ctx, "sessions/"+id+"/review", key, map[string]any{"approved": approved, "note": note}, &b)
}

// Upload makes documents of files. Each is read while it is sent.
func (c *Client) Upload(ctx context.Context, id string, files func(add func(name string, r io.Reader) error) error) (b Begun, err error) {
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() { // ends with the request, which closes body
		err := files(func(name string, r io.Reader) error {
			part, err := form.CreateFormFile(strings.ReplaceAll(name, `"`, "'"), "file")
			if err == nil {
				_, err = io.Copy(part, r)
			}
			return err
		})
		_ = w.CloseWithError(errors.Join(err, form.Close())) // always nil
	}()
	defer body.Close()
	req, err := c.request(ctx, http.MethodPost, "sessions/"+id+"/uploads", body)
	if err != nil {
		return b, err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return b, c.do(req, &b)
}

// Event is an event of a session with its long texts.
func (c *Client) Event(ctx context.Context, id string, seq int64) (ev trajectory.Event, err error) {
	return ev, c.get(ctx, fmt.Sprintf("sessions/%s/events/%d", id, seq), nil, &ev)
}

func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	req.URL.RawQuery = query.Encode()
	return c.do(req, out)
}

func (c *Client) post(ctx context.Context, path, key string, in, out any) error {
	return c.ask(ctx, http.MethodPost, path, key, in, out)
}

// ask makes a request with a body of JSON.
func (c *Client) ask(ctx context.Context, method, path, key string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := c.request(ctx, method, path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return c.do(req, out)
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, body)
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	req.Header.Set("Rlm-Client", c.window)
	return req, nil
}

func (c *Client) do(req *http.Request, out any) error {
	res, err := c.send(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of the server: %w", err)
	}
	return nil
}

// send makes a request; an answer that is a refusal is an *Error.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server at %s: %w", c.base.Host, unwrapped(err))
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	var refused struct{ Error Error }
	if json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&refused) != nil || refused.Error.Message == "" {
		refused.Error.Message = "the server at " + c.base.Host + " answers " + res.Status
	}
	refused.Error.Status = res.StatusCode
	return nil, &refused.Error
}

// unwrapped leaves out the address, which is told already.
func unwrapped(err error) error {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}
