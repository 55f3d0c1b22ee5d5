// Package client is a client of the server that rlm serve runs: it lists sessions, runs commands in them and
// follows their events.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Client is a client of one server. It is safe for concurrent use.
type Client struct {
	base   url.URL
	token  string
	window string // identifies this client in the states of sessions
	http   *http.Client
	// patience is how long the server may be unreachable before Events fails.
	patience time.Duration
	// Late, if not nil, is called when the server has not answered a request, or not read more of its body, for
	// LateTime, or has sent nothing on a stream of events for QuietTime. The request or stream continues to wait.
	// Set Late before the first request.
	Late func()
}

// LateTime is how long a server may be silent before Late is called.
const LateTime = 2 * time.Second

// QuietTime is how long a stream of events may be silent before Late is called: twice the interval of a server's
// heartbeats.
const QuietTime = 30 * time.Second

// New makes a client of the server at an address. If token is empty, the token in the address (?token=…) is used.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not a server address: write http://HOST:PORT or https://HOST:PORT", address)
	}
	if token == "" {
		token = u.Query().Get("token")
	}
	return &Client{
		base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/v1/"}, token: token, window: rand.Text(),
		patience: patience,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects, which is not allowed")
		}},
	}, nil
}

// Dial makes a client of the process that shares a session on a socket; see api.Share. Close the client.
func Dial(socket string) (*Client, error) {
	conn, err := files.DialSocket(socket)
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // only tests that the socket answers; each request opens its own connection
	return &Client{
		base: url.URL{Scheme: "http", Host: "session", Path: "/api/v1/"}, window: rand.Text(),
		http: &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return files.DialSocket(socket) },
		}},
	}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Window returns the name of this client in the states of sessions.
func (c *Client) Window() string { return c.window }

// Error is a refusal by the server.
type Error struct {
	Status  int            `json:"-"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	State   *session.State `json:"state"` // what a busy session is doing
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the refusal as an error of package session.
func (e *Error) Unwrap() error {
	return &session.Error{Code: session.Code(e.Code), Message: e.Message, State: e.State}
}

// NewKey returns an idempotency key, for a request that must take effect only once even if it is sent again.
func NewKey() string { return rand.Text() }

// Commands returns the commands of the table, without those that a front end adds.
func (c *Client) Commands() []session.Command { return session.Commands() }

// Do runs a command on the server.
func (c *Client) Do(ctx context.Context, r session.Request) (any, error) {
	all := c.Commands()
	i := slices.IndexFunc(all, func(one session.Command) bool { return one.Name == r.Command })
	if i < 0 || all[i].Route == "" {
		return nil, &session.Error{
			Code:    session.NotFound,
			Message: "the command " + r.Command + " can be used only where the session is open",
		}
	}
	method, path, _ := strings.Cut(all[i].Route, " ")
	path = strings.ReplaceAll(path, "{id}", url.PathEscape(r.Session))
	for name, value := range r.Params {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	args, err := json.Marshal(cmp.Or(r.Args, any(struct{}{})))
	if err != nil {
		return nil, err
	}
	asks := method != http.MethodGet && method != http.MethodDelete
	body := io.Reader(nil)
	if asks {
		body = bytes.NewReader(args)
	}
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if asks {
		req.Header.Set("Content-Type", "application/json")
	} else if req.URL.RawQuery, err = query(args); err != nil {
		return nil, err
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if all[i].Out == nil {
		return nil, c.do(req, nil)
	}
	out := reflect.New(all[i].Out)
	err = c.do(req, out.Interface())
	return out.Elem().Interface(), err
}

// query turns the members of a JSON object into a URL query.
func query(object []byte) (string, error) {
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return "", err
	}
	q := url.Values{}
	for name, value := range members {
		q.Set(name, fmt.Sprint(value))
	}
	return q.Encode(), nil
}

// Sessions lists the sessions whose name, question, answer or id contains q, newest first; limit 0 means all.
func (c *Client) Sessions(ctx context.Context, q string, limit int) (list []session.Summary, total int, err error) {
	out, err := session.Do[session.SessionPage](
		ctx, c, session.Request{Command: "list", Args: session.ListRequest{Query: q, Limit: limit}})
	for i := range out.Sessions {
		out.Sessions[i].Summary.ID = out.Sessions[i].ID
	}
	return out.Sessions, out.Total, err
}

// Session returns the session with an id, which may be shortened.
func (c *Client) Session(ctx context.Context, id string) (session.Summary, error) {
	return session.Do[session.Summary](ctx, c, session.Request{Command: "session", Session: id})
}

// Create makes a session without documents. A second request with the same key has no further effect.
func (c *Client) Create(ctx context.Context, key string) (session.Summary, error) {
	return session.Do[session.Summary](
		ctx, c, session.Request{Command: "create", Key: key, Args: session.CreateRequest{Empty: true}})
}

// Export writes a session in one of the formats of package formats. After an error the output is incomplete.
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
		err = errors.New("the connection to the server broke off: what arrived of the session is incomplete")
	}
	return err
}

// Ask asks a question. A second request with the same key has no further effect.
func (c *Client) Ask(ctx context.Context, id, key, question string, choice session.Choice) (session.Receipt, error) {
	return session.Do[session.Receipt](ctx, c, session.Request{
		Command: "ask", Session: id, Key: key, Args: session.AskRequest{Question: question, Choice: choice},
	})
}

// Cell runs a cell. A second request with the same key has no further effect.
func (c *Client) Cell(ctx context.Context, id, key, source string) (session.Receipt, error) {
	return session.Do[session.Receipt](
		ctx, c, session.Request{Command: "cell", Session: id, Key: key, Args: session.CellRequest{Source: source}})
}

// Stop stops what a session is doing.
func (c *Client) Stop(ctx context.Context, id string) error {
	_, err := c.Do(ctx, session.Request{Command: "stop", Session: id})
	return err
}

// Upload adds files as documents. Each file is read while it is sent.
func (c *Client) Upload(
	ctx context.Context, id string, files func(add func(name string, r io.Reader) error) error) (
	b session.Receipt, err error,
) {
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

// Event returns an event of a session, including its long texts.
func (c *Client) Event(ctx context.Context, id string, seq int64) (trajectory.Event, error) {
	return session.Do[trajectory.Event](
		ctx, c, session.Request{Command: "event", Session: id, Params: map[string]string{"seq": fmt.Sprint(seq)}})
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
	if res.StatusCode == http.StatusNoContent || out == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// send sends a request. If the server refuses it, the error is an *Error.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if c.Late != nil {
		defer c.await(req)()
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.there(), unwrapped(err))
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	var refused struct{ Error Error }
	if json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&refused) != nil || refused.Error.Message == "" {
		refused.Error.Message = c.there() + " answers " + res.Status
	}
	refused.Error.Status = res.StatusCode
	return nil, &refused.Error
}

// there names the server in errors.
func (c *Client) there() string {
	if c.patience == 0 {
		return "the terminal that has the session open"
	}
	return "the server at " + c.base.Host
}

// unwrapped removes the URL that net/http adds to errors.
func unwrapped(err error) error {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}
