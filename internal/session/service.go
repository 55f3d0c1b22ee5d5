package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Service is what a front end uses: the sessions of one person, used from one window. Manager.As makes a Service in
// this process; package client makes one for sessions of another process. It is safe for concurrent use.
type Service interface {
	// Do runs a command and returns its result, which has the command's type Out. The error wraps an *Error if the
	// command was refused. The service sets the request's person and window.
	Do(ctx context.Context, r Request) (any, error)
	// Events yields what happens in a session until ctx is done, and then ends without an error. It ends after
	// yielding an error.
	Events(ctx context.Context, id string, f EventOptions) iter.Seq2[StreamItem, error]
	// Upload adds documents from the readers passed to add. Each is read while files runs.
	Upload(ctx context.Context, id string, files func(add func(name string, r io.Reader) error) error) (Receipt, error)
	// Export writes a session in one of the formats of package formats. After an error the output is incomplete.
	Export(ctx context.Context, id, format string, w io.Writer) error
	// Commands returns the available commands.
	Commands() []Command
	// Window is the name of this front end in the states of sessions.
	Window() string
}

// EventOptions selects events of a session: those with numbers above After. Brief leaves out sub-calls and
// child runs; Texts fetches long texts, which are left out otherwise (replies of up to 64 KiB are always
// included).
type EventOptions struct {
	After        int64
	Brief, Texts bool
}

// StreamItem is one item of a session's stream: an event, a new state or a failure.
type StreamItem struct {
	Event  trajectory.Event // its Data is nil if the item is not an event
	State  *State           // the session's new state
	Failed *Failure         // the failure of a task
}

// Heard decodes an item of a session's stream. gone is not nil if it is the last one because the session is gone.
func Heard(part []byte) (h StreamItem, gone *Error, err error) {
	var head struct {
		Seq  int64
		Type string
		Data json.RawMessage
	}
	if err := json.Unmarshal(part, &head); err != nil {
		return h, nil, fmt.Errorf("read an event: %w", err)
	}
	h.Event.Seq = head.Seq
	switch head.Type {
	case "state":
		err = json.Unmarshal(head.Data, &h.State)
	case "failed":
		err = json.Unmarshal(head.Data, &h.Failed)
	case "gone":
		var why struct {
			Code    Code
			Message string
		}
		err = json.Unmarshal(head.Data, &why)
		gone = &Error{Code: why.Code, Message: why.Message}
	case "calls", "spent", "passed":
	default:
		err = json.Unmarshal(part, &h.Event)
	}
	return h, gone, err
}

// Do runs a command whose result is of the type Out.
func Do[Out any](ctx context.Context, s Service, r Request) (out Out, err error) {
	given, err := s.Do(ctx, r)
	if err != nil {
		return out, err
	}
	out, ok := given.(Out)
	if !ok && given != nil {
		err = fmt.Errorf("the command %s gives a %T", r.Command, given)
	}
	return out, err
}

// as is the Service of one person in this process.
type as struct {
	*Manager
	who    Person
	window string
}

// As returns the Service of a person in a window.
func (m *Manager) As(who Person, window string) Service { return as{m, who, window} }

func (s as) Window() string { return s.window }

func (s as) Do(ctx context.Context, r Request) (any, error) {
	r.Who, r.Client = s.who, s.window
	out, err := s.Manager.Do(ctx, r)
	if err != nil {
		err = ErrorOf(err)
	}
	return out, err
}

var errEnough = errors.New("the reader has enough")

func (s as) Events(ctx context.Context, id string, f EventOptions) iter.Seq2[StreamItem, error] {
	return func(yield func(StreamItem, error) bool) {
		l, err := s.Find(s.who, id)
		if err == nil {
			err = l.Read(ctx, s.who, f.After, f.Brief, func(frames []Frame) error {
				for _, fr := range frames {
					if f.Brief && fr.Detail {
						fr.JSON = encoded(fr.Seq, "", "passed", struct{}{})
					}
					h, _, err := Heard(fr.JSON)
					if err == nil && f.Texts && !fr.Transient && h.Event.Data != nil {
						h.Event, err = eventAt(ctx, l.Dir(), fr.Seq)
						h.Event = seenBy(s.who, h.Event)
					}
					if err != nil {
						return err
					}
					if !yield(h, nil) {
						return errEnough
					}
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errEnough) && ctx.Err() == nil {
			yield(StreamItem{}, ErrorOf(err))
		}
	}
}

func (s as) Upload(
	ctx context.Context, id string, files func(add func(name string, r io.Reader) error) error,
) (Receipt, error) {
	var all ContextSpec
	err := files(func(name string, r io.Reader) error {
		var b strings.Builder
		_, err := io.Copy(&b, r)
		all.Texts = append(all.Texts, Text{name, b.String()})
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return Do[Receipt](ctx, s, Request{Command: "add", Session: id, Args: all})
}

func (s as) Export(_ context.Context, id, format string, w io.Writer) error {
	l, err := s.Find(s.who, id)
	if err != nil {
		return ErrorOf(err)
	}
	write, ok := formats.All()[format]
	if !ok {
		return badRequest("there is no format " + format)
	}
	return write(w, trajectory.Read(l.Dir()))
}

// Commands returns the commands of the table and of the front end.
func (m *Manager) Commands() []Command { return slices.Concat(Commands(), m.cfg.Commands) }
