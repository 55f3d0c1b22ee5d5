package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// address is the transport to a server with a URL.
func address(s Server) (mcp.Transport, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	return &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: &http.Client{Transport: &bounded{own, u, s.Headers}},
		MaxRetries: 2, DisableStandaloneSSE: true, MaxEventSize: 2 * mostMessage,
	}, nil
}

// bounded sends the headers of a server to its host and to no other, and bounds what comes back.
type bounded struct {
	http    *http.Transport
	to      *url.URL
	headers map[string]string
}

func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == b.to.Scheme && req.URL.Host == b.to.Host && len(b.headers) > 0 {
		req = req.Clone(req.Context())
		for name, value := range b.headers {
			req.Header.Set(name, value)
		}
	}
	resp, err := b.http.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		resp.Body = &events{in: bufio.NewReaderSize(resp.Body, 64<<10), own: resp.Body}
	} else {
		resp.Body = &whole{in: resp.Body}
	}
	return resp, nil
}

// whole is a body in one piece.
type whole struct {
	in   io.ReadCloser
	text *bytes.Reader
}

func (w *whole) Read(b []byte) (int, error) {
	if w.text == nil {
		text, err := io.ReadAll(io.LimitReader(w.in, mostMessage+1))
		if err != nil {
			return 0, err
		}
		if len(text) > mostMessage {
			return 0, errTooLong
		}
		w.text = bytes.NewReader(quoteStructured(text))
	}
	return w.text.Read(b)
}

func (w *whole) Close() error { return w.in.Close() }

// events is a body of server-sent events, a line at a time.
type events struct {
	in   *bufio.Reader
	own  io.Closer
	rest []byte
}

func (e *events) Read(b []byte) (int, error) {
	if len(e.rest) == 0 {
		var line []byte
		for {
			part, err := e.in.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > mostMessage {
				return 0, errTooLong
			}
			if err == nil || len(line) > 0 && !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return 0, err
			}
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			line = append([]byte("data: "), quoteStructured(bytes.TrimSpace(data))...)
			line = append(line, '\n')
		}
		e.rest = line
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *events) Close() error { return e.own.Close() }
