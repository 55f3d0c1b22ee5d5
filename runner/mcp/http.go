package mcp

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// address returns the transport for a server with a URL.
func address(s Server) (mcp.Transport, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	return &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: &http.Client{
			Transport: &boundedTransport{own, u, s.Headers}, CheckRedirect: withBody,
		},
		MaxRetries: 2, DisableStandaloneSSE: true, MaxEventSize: 2 * mostMessage,
	}, nil
}

// boundedTransport sends a server's headers only to its host, and bounds the responses.
type boundedTransport struct {
	http    *http.Transport
	to      *url.URL
	headers map[string]string
}

func (b *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == b.to.Scheme && req.URL.Host == b.to.Host && len(b.headers) > 0 {
		req = req.Clone(req.Context())
		for name, value := range b.headers {
			req.Header.Set(name, value)
		}
	}
	sent := attemptOf(req)
	resp, err := b.http.RoundTrip(req)
	if err != nil {
		sent.failed(err)
		return nil, err
	}
	sent.answered(req, resp)
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		resp.Body = &events{in: bufio.NewReaderSize(resp.Body, 64<<10), own: resp.Body}
	} else {
		resp.Body = &bufferedBody{in: resp.Body}
	}
	return resp, nil
}

// bufferedBody is a body that is read completely on the first Read.
type bufferedBody struct {
	in   io.ReadCloser
	text *bytes.Reader
}

func (w *bufferedBody) Read(b []byte) (int, error) {
	if w.text == nil {
		text, err := io.ReadAll(io.LimitReader(w.in, mostMessage+1))
		if err != nil {
			return 0, err
		}
		if len(text) > mostMessage {
			return 0, errTooLong
		}
		w.text = bytes.NewReader(readable(text))
	}
	return w.text.Read(b)
}

func (w *bufferedBody) Close() error { return w.in.Close() }

// events is a body of server-sent events, read line by line.
type events struct {
	in   *bufio.Reader
	own  io.Closer
	rest []byte
}

func (e *events) Read(b []byte) (int, error) {
	if len(e.rest) == 0 {
		line, err := readLine(e.in)
		if err != nil {
			return 0, err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			line = append([]byte("data: "), readable(bytes.TrimSpace(data))...)
			line = append(line, '\n')
		}
		e.rest = line
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *events) Close() error { return e.own.Close() }
