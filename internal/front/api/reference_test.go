package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/internal/testing/openapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

var update = flag.Bool("update", false, "write openapi.json (read the changes before you commit them)")

type object = openapi.Object

// TestTheDocument: openapi.json documents the routes and their types, and is complete.
func TestTheDocument(t *testing.T) {
	t.Parallel()
	d := description(t, false)
	written, err := d.Bytes()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", written, 0o644))
		document = written
	}
	require.True(t, bytes.Equal(written, document),
		"openapi.json is not what the routes say: go test ./internal/front/api -run TestTheDocument -update")
	for _, text := range []string{"TODO", `"summary": ""`} {
		require.NotContains(t, string(written), text)
	}
}

// Strict returns the document with structs that allow no further fields.
func Strict(t testing.TB) []byte {
	t.Helper()
	b, err := description(t, true).Bytes()
	require.NoError(t, err)
	return b
}

// Document returns the document of a server with additional commands.
func Document(t testing.TB, more ...session.Command) []byte {
	t.Helper()
	b, err := description(t, false, more...).Bytes()
	require.NoError(t, err)
	return b
}

// NewWith makes a server with additional commands.
func NewWith(cfg Config, more ...session.Command) (*Server, error) { return newServer(cfg, more...) }

// description describes the API. If closed, structs allow no further fields.
func description(t testing.TB, closed bool, more ...session.Command) *openapi.Document {
	t.Helper()
	schemas := openapi.NewSchemas("../../..", "github.com/gorlm/rlm")
	schemas.Closed = closed
	schemas.Optional[reflect.TypeFor[runner.Budgets]()] = true
	schemas.Optional[reflect.TypeFor[eventsQuery]()] = true
	schemas.Fixed[reflect.TypeFor[trajectory.Event]()] = openapi.Ref("Event")
	schemas.Fixed[reflect.TypeFor[streamedEvent]()] = openapi.Ref("StreamedEvent")
	schemas.Fixed[reflect.TypeFor[trajectory.Text]()] = openapi.Ref("StoredText")
	schemas.Fixed[reflect.TypeFor[uploadForm]()] = object{
		"type": "object", "additionalProperties": object{"type": "string", "format": "binary"},
	}
	for of, name := range map[reflect.Type]string{
		reflect.TypeFor[history.Prompt](): "PastTold", reflect.TypeFor[session.Failure](): "Failed",
		reflect.TypeFor[session.Passage](): "ServerPassage",
		reflect.TypeFor[session.Receipt](): "Begun", reflect.TypeFor[session.Summary](): "Session",
		reflect.TypeFor[session.ContextSpec](): "Added", reflect.TypeFor[cellTallies](): "CallsTold",
		reflect.TypeFor[session.SearchHit](): "FoundAt", reflect.TypeFor[trajectory.CellInputs](): "Given",
		reflect.TypeFor[session.SessionPage](): "Listed", reflect.TypeFor[empty](): "None",
		reflect.TypeFor[removal](): "Removed", reflect.TypeFor[runner.ReplayedCell](): "Replayed",
		reflect.TypeFor[RetryResult](): "Retried", reflect.TypeFor[history.Usage](): "Spent",
		reflect.TypeFor[streamItem](): "Streamed", reflect.TypeFor[errorBody](): "Told",
		reflect.TypeFor[errorDetail](): "ToldError", reflect.TypeFor[session.VerifyResult](): "Verified",
		reflect.TypeFor[session.CursorText](): "Writing",
	} {
		schemas.Names[of] = name
	}
	d := &openapi.Document{
		Info: object{
			"title": "rlm serve", "version": "1", "license": object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
			"description": "The sessions of a data folder: questions that models answer by writing cells in a notebook over a context. " +
				"The token that rlm serve prints, or that of a user, is the bearer token.",
		},
		Schemas: schemas,
		Parameters: object{
			"path.id": object{
				"name": "id", "in": "path", "required": true,
				"description": "of a session, or a unique beginning of it", "schema": object{"type": "string"},
			},
			"path.browser": object{
				"name": "browser", "in": "path", "required": true,
				"description": "the id of a browser, this for the one that asks, or all",
				"schema":      object{"type": "string"},
			},
			"path.batch": object{
				"name": "batch", "in": "path", "required": true,
				"description": "the id of a batch, or a unique beginning of it", "schema": object{"type": "string"},
			},
			"path.run": object{
				"name": "run", "in": "path", "required": true,
				"description": "the id of a job's run", "schema": object{"type": "string"},
			},
			"path.seq": object{
				"name": "seq", "in": "path", "required": true,
				"description": "the number of an event", "schema": object{"type": "integer"},
			},
			"Idempotency-Key": header(
				"Idempotency-Key", "The same key does it once: a request that is made again is answered as the first one was, also after the server was killed. "+
					"At most 255 printable ASCII characters.", object{"type": "string", "maxLength": 255}),
			"Rlm-Client": header("Rlm-Client",
				"A name of the client's choice, 1 to 64 letters and digits. It comes back in the states of sessions.",
				object{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}),
			"Last-Event-ID": header("Last-Event-ID",
				"The id of the last message of the stream that arrived: the stream continues after it, instead of where the query says.", object{"type": "string"}),
		},
		Headers: object{
			"Retry-After": object{
				"description": "seconds after which it makes sense to try again", "schema": object{"type": "integer"},
			},
			"Content-Disposition": object{"description": "the file's name", "schema": object{"type": "string"}},
		},
		Security: object{
			"token": object{"type": "http", "scheme": "bearer"},
			"cookie": object{
				"type": "apiKey", "in": "cookie", "name": "rlm-PORT",
				"description": "what a browser gets that opens the printed address",
			},
		},
	}
	refused := func(text string) object {
		return object{
			"description": text,
			"content":     object{"application/json": object{"schema": schemas.Of(reflect.TypeFor[errorBody]())}},
		}
	}
	limited := refused("Too many runs, sessions or wrong tokens, or the budget of the day is used up.")
	limited["headers"] = object{"Retry-After": object{"$ref": "#/components/headers/Retry-After"}}
	d.Responses = object{
		"401": refused("No token, or a wrong one."), "429": limited,
		"default": refused("The request failed. README.md lists the codes."),
	}
	for _, e := range (&Server{more: more}).endpoints() {
		require.NotEmpty(t, e.Group, "%s stands under no heading", e.Route)
		d.Add(route(e))
		if !slices.Contains(d.Tags, e.Group) {
			d.Tags = append(d.Tags, e.Group)
		}
	}
	describeEvents(t, schemas)
	return d
}

func header(name, text string, schema object) object {
	return object{"name": name, "in": "header", "description": text, "schema": schema}
}

func route(e endpoint) openapi.Route {
	method, path, _ := strings.Cut(e.Route, " ")
	r := openapi.Route{
		Method: method, Path: "/api/v1/" + path, Tag: e.Group, Summary: e.Help, In: e.In, Out: e.Out,
		Gives: e.gives, Status: http.StatusOK,
	}
	switch e.Out {
	case nil:
		r.Status = http.StatusNoContent
	case reflect.TypeFor[session.Receipt]():
		r.Status = http.StatusAccepted
	}
	switch {
	case r.In == reflect.TypeFor[uploadForm]():
		r.Takes = "multipart/form-data"
	case r.In == reflect.TypeFor[eventsQuery]():
		r.Headers = []string{"Last-Event-ID"}
	case e.gives == "":
		r.Status = http.StatusSwitchingProtocols
	case r.In == reflect.TypeFor[exportRequest](), r.In == reflect.TypeFor[resultsRequest]():
		r.Answered = []string{"Content-Disposition"}
	}
	if e.Once {
		r.Headers = append(r.Headers, "Idempotency-Key")
	}
	if method != http.MethodGet {
		r.Headers = append(r.Headers, "Rlm-Client")
	}
	return r
}

// describeEvents makes the components of events: those of logs, and those only in streams.
func describeEvents(t testing.TB, s *openapi.Schemas) {
	t.Helper()
	for _, name := range []string{"StoredText", "Event", "StreamedEvent"} {
		require.NotContains(t, s.Components, name, "a type has the name of this component")
	}
	s.Components["StoredText"] = object{
		"description": "A text, or where a long one stands.", "anyOf": []any{object{"type": "string"}, object{
			"type": "object",
			"properties": object{
				"sha256": object{"type": "string"}, "size": object{"type": "integer"},
				"at": object{"type": "integer"}, "stored": object{"type": "integer"},
			},
			"required": []string{"sha256", "size"},
		}},
	}
	var logged, told []any
	for _, name := range eventNames(t) {
		var ev trajectory.Event
		require.NoError(t, json.Unmarshal(
			fmt.Appendf(nil, `{"seq":1,"time":"2026-01-01T00:00:00Z","type":%q,"data":{}}`, name), &ev))
		if _, part := ev.Data.(trajectory.Unknown); !part { // Unknown: not an event, but a type that is part of events
			logged = append(logged, eventSchema(s, name, reflect.TypeOf(ev.Data)))
		}
	}
	transient := map[string]reflect.Type{
		"state": reflect.TypeFor[session.State](), "calls": reflect.TypeFor[cellTallies](),
		"spent": reflect.TypeFor[history.Usage](), "failed": reflect.TypeFor[session.Failure](),
		"gone": reflect.TypeFor[errorDetail](), "session": reflect.TypeFor[session.Summary](),
		"removed": reflect.TypeFor[removal](), "passed": reflect.TypeFor[empty](),
		"beat": reflect.TypeFor[empty](), "batch": reflect.TypeFor[Batch](),
		"batch_removed": reflect.TypeFor[removal](),
	}
	for _, name := range slices.Sorted(maps.Keys(transient)) {
		told = append(told, eventSchema(s, name, transient[name]))
	}
	s.Components["Event"] = object{
		"description": "Something that happened in a run. path names the run of the tree, turn its turn.",
		"oneOf":       logged,
	}
	s.Components["StreamedEvent"] = object{
		"description": "An event of a log, or a transient one.", "anyOf": append([]any{openapi.Ref("Event")}, told...),
	}
}

// eventNames returns the types of events that events.md lists.
func eventNames(t testing.TB) (names []string) {
	t.Helper()
	page, err := os.ReadFile("../../../runner/trajectory/events.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	require.Greater(t, len(names), 20)
	return names
}

func eventSchema(s *openapi.Schemas, name string, data reflect.Type) object {
	out := object{
		"type": "object",
		"properties": object{
			"seq": object{"type": "integer"}, "time": object{"type": "string", "format": "date-time"},
			"path": object{"type": "string"}, "turn": object{"type": "integer"},
			"type": object{"const": name}, "data": s.Of(data),
		},
		"required": []string{"seq", "type", "data"},
	}
	if s.Closed {
		out["additionalProperties"] = false
	}
	return out
}
