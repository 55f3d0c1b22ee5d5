package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/units"
)

// meant removes null arguments, and parses numbers, lists and objects sent as texts: models and clients fill in all
// parameters, and write them like this.
func (s *Server) meant(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && s.takes[call.Name] != nil {
			var args map[string]json.RawMessage
			if json.Unmarshal(call.Arguments, &args) == nil && bytes.Contains(call.Arguments, []byte("null")) {
				maps.DeleteFunc(args, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
				if kept, err := json.Marshal(args); err == nil {
					call.Arguments = kept
				}
			}
			if args != nil {
				call.Arguments = jsondoc.Meant(call.Arguments, s.takes[call.Name])
			}
		}
		return next(ctx, method, req)
	}
}

// messages reads a stream and returns the lines that contain messages. Other lines, such as the output of a shell
// or a wrapper, are skipped. If there are only other lines, it is an error.
type messages struct {
	in      *bufio.Reader
	own     io.Closer
	numbers *numbers
	rest    []byte
	came    bool // a message has been read
	noise   bool
}

var errNoMessage = errors.New("the input is not an MCP message: this server is meant to be started by agents")

func messagesOf(in io.ReadCloser, numbers *numbers) io.ReadCloser {
	return &messages{in: bufio.NewReaderSize(decoding.Reader(in), 64<<10), own: in, numbers: numbers}
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := text.ReadLine(m.in, mostMessage)
		switch {
		case errors.Is(err, text.ErrLongLine):
			return 0, fmt.Errorf("a message of more than %s came", units.Binary(mostMessage))
		case err != nil && m.noise && !m.came:
			return 0, errNoMessage
		case err != nil:
			return 0, err
		}
		message := bytes.TrimSpace(line)
		switch {
		case len(message) == 0:
		case (message[0] == '{' || message[0] == '[') && json.Valid(message):
			m.rest, m.came = append(m.numbers.in(message), '\n'), true
		default:
			m.noise = true
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messages) Close() error { return m.own.Close() }
