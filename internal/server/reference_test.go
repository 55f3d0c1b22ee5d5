package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/internal/testing/openapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

var update = flag.Bool("update", false, "write openapi.json (read the changes before you commit them)")

type object = openapi.Object

// TestTheDocument: openapi.json says what the routes and their types are, and every route of the API is in it.
func TestTheDocument(t *testing.T) {
	d := description(t, false)
	written, err := d.Bytes()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", written, 0o644))
		document = written
	}
	require.True(t, bytes.Equal(written, document), "openapi.json is not what the routes say: go test ./internal/server -run TestTheDocument -update")
	for _, text := range []string{"TODO", `"summary": ""`} {
		require.NotContains(t, string(written), text)
	}
}

// Strict is the document with structs that have no other fields than those that it lists.
func Strict(t testing.TB) []byte {
	t.Helper()
	b, err := description(t, true).Bytes()
	require.NoError(t, err)
	return b
}

// description describes the API. Closed, structs have no fields that are not in it.
func description(t testing.TB, closed bool) *openapi.Document {
	t.Helper()
	schemas := openapi.NewSchemas("../..", "github.com/gorlm/rlm")
	schemas.Closed = closed
	schemas.Optional[reflect.TypeFor[runner.Budgets]()] = true
	schemas.Optional[reflect.TypeFor[following]()] = true
	schemas.Fixed[reflect.TypeFor[trajectory.Event]()] = openapi.Ref("Event")
	schemas.Fixed[reflect.TypeFor[streamedEvent]()] = openapi.Ref("StreamedEvent")
	schemas.Fixed[reflect.TypeFor[trajectory.Text]()] = openapi.Ref("StoredText")
	schemas.Fixed[reflect.TypeFor[uploadForm]()] = object{"type": "object", "additionalProperties": object{"type": "string", "format": "binary"}}
	d := &openapi.Document{
		Info: object{
			"title": "rlm serve", "version": "1", "license": object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
			"description": "The sessions of a data folder: questions that models answer by writing cells in a notebook over a context. " +
				"The token that rlm serve prints, or that of a user, is the bearer token.",
		},
		Schemas: schemas,
		Parameters: object{
			"path.id":    object{"name": "id", "in": "path", "required": true, "description": "of a session, or a unique beginning of it", "schema": object{"type": "string"}},
			"path.batch": object{"name": "batch", "in": "path", "required": true, "description": "the id of a batch, or a unique beginning of it", "schema": object{"type": "string"}},
			"path.run":   object{"name": "run", "in": "path", "required": true, "description": "the id of a job's run", "schema": object{"type": "string"}},
			"path.seq":   object{"name": "seq", "in": "path", "required": true, "description": "the number of an event", "schema": object{"type": "integer"}},
			"Idempotency-Key": header("Idempotency-Key", "The same key does it once: a request that is made again is answered as the first one was, also after the server was killed. "+
				"At most 255 printable ASCII characters.", object{"type": "string", "maxLength": 255}),
			"Rlm-Client": header("Rlm-Client", "A name of the client's choice, 1 to 64 letters and digits. It comes back in the states of sessions.",
				object{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}),
			"Last-Event-ID": header("Last-Event-ID", "The id of the last message of the stream that came: it goes on behind that, instead of where the query says.", object{"type": "string"}),
		},
		Headers: object{
			"Retry-After":         object{"description": "seconds after which it makes sense to try again", "schema": object{"type": "integer"}},
			"Content-Disposition": object{"description": "the file's name", "schema": object{"type": "string"}},
		},
		Security: object{
			"token":  object{"type": "http", "scheme": "bearer"},
			"cookie": object{"type": "apiKey", "in": "cookie", "name": "rlm-PORT", "description": "what a browser gets that opens the printed address"},
		},
	}
	refused := func(text string) object {
		return object{"description": text, "content": object{"application/json": object{"schema": schemas.Of(reflect.TypeFor[told]())}}}
	}
	limited := refused("Too many runs, sessions or wrong tokens, or the budget of the day is used up.")
	limited["headers"] = object{"Retry-After": object{"$ref": "#/components/headers/Retry-After"}}
	d.Responses = object{"401": refused("No token, or a wrong one."), "429": limited, "default": refused("The request failed. README.md lists the codes.")}
	said := saidOfRoutes(t)
	s := &Server{}
	for _, e := range append(s.api(), s.others()...) {
		d.Add(route(t, e, said[e.pattern]))
	}
	d.Tags = said["tags"]
	describeEvents(t, schemas)
	return d
}

func header(name, text string, schema object) object {
	return object{"name": name, "in": "header", "description": text, "schema": schema}
}

func route(t testing.TB, e endpoint, said []string) openapi.Route {
	t.Helper()
	require.Len(t, said, 2, "%s has no comment in routes.go, or stands under no heading", e.pattern)
	method, path, _ := strings.Cut(e.pattern, " ")
	r := openapi.Route{Method: method, Path: "/api/v1/" + path, Tag: said[0], Summary: said[1], In: e.in, Out: e.out, Gives: e.gives, Status: http.StatusOK}
	nothing := reflect.TypeFor[none]()
	if r.In == nothing {
		r.In = nil
	}
	if r.Out == nothing {
		r.Out, r.Status = nil, http.StatusNoContent
	}
	if r.Out == reflect.TypeFor[Begun]() {
		r.Status = http.StatusAccepted
	}
	switch {
	case r.In == reflect.TypeFor[uploadForm]():
		r.Takes = "multipart/form-data"
	case r.In == reflect.TypeFor[following]():
		r.Headers = []string{"Last-Event-ID"}
	case e.gives == "":
		r.Status = http.StatusSwitchingProtocols
	case r.In == reflect.TypeFor[exportRequest](), r.In == reflect.TypeFor[resultsRequest]():
		r.Answered = []string{"Content-Disposition"}
	}
	if e.once {
		r.Headers = append(r.Headers, "Idempotency-Key")
	}
	if method != http.MethodGet {
		r.Headers = append(r.Headers, "Rlm-Client")
	}
	return r
}

// headingColumn is where a comment stands in the lists of routes.
const headingColumn = 3

// saidOfRoutes reads routes.go: the heading and the comment of each route by its pattern, and the headings as tags.
func saidOfRoutes(t testing.TB) map[string][]string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "routes.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	patterns := map[int]string{} // by line
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if line := set.Position(lit.Pos()).Line; patterns[line] == "" {
				patterns[line], _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	said, seen, heading := map[string][]string{}, map[string]bool{}, ""
	for _, c := range file.Comments {
		text := strings.Join(strings.Fields(c.Text()), " ")
		if pattern, ok := patterns[set.Position(c.End()).Line+1]; ok {
			said[pattern] = []string{heading, text}
			continue
		}
		if at := set.Position(c.Pos()); at.Column != headingColumn {
			continue
		}
		if heading = text; !seen[text] {
			seen[text] = true
			said["tags"] = append(said["tags"], text)
		}
	}
	return said
}

// describeEvents makes the components of events: those of logs, and those that streams have besides.
func describeEvents(t testing.TB, s *openapi.Schemas) {
	t.Helper()
	for _, name := range []string{"StoredText", "Event", "StreamedEvent"} {
		require.NotContains(t, s.Components, name, "a type has the name of this component")
	}
	s.Components["StoredText"] = object{"description": "A text, or where a long one stands.", "anyOf": []any{object{"type": "string"}, object{
		"type":       "object",
		"properties": object{"sha256": object{"type": "string"}, "size": object{"type": "integer"}, "at": object{"type": "integer"}, "stored": object{"type": "integer"}},
		"required":   []string{"sha256", "size"},
	}}}
	var logged, told []any
	for _, name := range eventNames(t) {
		var ev trajectory.Event
		require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"seq":1,"time":"2026-01-01T00:00:00Z","type":%q,"data":{}}`, name), &ev))
		if _, part := ev.Data.(trajectory.Unknown); !part { // a type that is part of others
			logged = append(logged, eventSchema(s, name, reflect.TypeOf(ev.Data)))
		}
	}
	transient := map[string]reflect.Type{
		"state": reflect.TypeFor[live.State](), "calls": reflect.TypeFor[callsTold](), "spent": reflect.TypeFor[past.Spent](), "failed": reflect.TypeFor[live.Failed](),
		"gone": reflect.TypeFor[toldError](), "session": reflect.TypeFor[Session](), "removed": reflect.TypeFor[removed](), "passed": reflect.TypeFor[none](),
		"beat": reflect.TypeFor[none](), "batch": reflect.TypeFor[Batch](), "batch_removed": reflect.TypeFor[removed](),
	}
	for _, name := range slices.Sorted(maps.Keys(transient)) {
		told = append(told, eventSchema(s, name, transient[name]))
	}
	s.Components["Event"] = object{"description": "Something that happened in a run. path names the run of the tree, turn its turn.", "oneOf": logged}
	s.Components["StreamedEvent"] = object{"description": "An event of a log, or a transient one.", "anyOf": append([]any{openapi.Ref("Event")}, told...)}
}

// eventNames are the types of events that events.md lists.
func eventNames(t testing.TB) (names []string) {
	t.Helper()
	page, err := os.ReadFile("../../runner/trajectory/events.md")
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
			"seq": object{"type": "integer"}, "time": object{"type": "string", "format": "date-time"}, "path": object{"type": "string"}, "turn": object{"type": "integer"},
			"type": object{"const": name}, "data": s.Of(data),
		},
		"required": []string{"seq", "type", "data"},
	}
	if s.Closed {
		out["additionalProperties"] = false
	}
	return out
}
