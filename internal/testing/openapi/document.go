package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// Route is an operation of an API.
type Route struct {
	Method, Path string // as in patterns of http.ServeMux
	Tag          string // group of the operation
	Summary      string
	In, Out      reflect.Type // types of the bodies; nil means none
	Status       int          // status of the response
	// Takes and Gives are the media types of request and response; default application/json. A GET or DELETE
	// request has its fields in the query.
	Takes, Gives string
	// Headers are the optional headers of requests, Answered those of responses, by their names in the components.
	Headers, Answered []string
}

// Document is an OpenAPI document under construction.
type Document struct {
	Info       Object
	Tags       []string
	Schemas    *Schemas
	Parameters Object // path parameters by "path." and their name, headers by their name
	Headers    Object
	Responses  Object // responses that any operation may return, by status or default
	Security   Object

	paths Object
}

var inPath = regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)

// Add adds an operation.
func (d *Document) Add(r Route) {
	if d.paths == nil {
		d.paths = Object{}
	}
	path := inPath.ReplaceAllString(r.Path, "{$1}")
	item, ok := d.paths[path].(Object)
	if !ok {
		item = Object{}
		d.paths[path] = item
	}
	op := Object{
		"operationId": operation(r.Method, path), "summary": r.Summary, "tags": []string{r.Tag},
		"responses": d.responses(r),
	}
	parameters := []any{}
	for _, m := range inPath.FindAllStringSubmatch(r.Path, -1) {
		parameters = append(parameters, Object{"$ref": "#/components/parameters/path." + m[1]})
	}
	asks := r.Method == http.MethodGet || r.Method == http.MethodDelete
	if r.In != nil && asks {
		parameters = append(parameters, d.query(r.In)...)
	}
	for _, h := range r.Headers {
		parameters = append(parameters, Object{"$ref": "#/components/parameters/" + h})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if r.In != nil && !asks {
		op["requestBody"] = Object{"required": true, "content": d.content(r.Takes, r.In)}
	}
	item[strings.ToLower(r.Method)] = op
}

// query makes parameters of a struct's fields.
func (d *Document) query(t reflect.Type) (out []any) {
	for _, f := range jsonfields.Of(t) {
		schema, _ := d.Schemas.Field(t, f).(Object)
		p := Object{"name": f.Name, "in": "query"}
		if text, ok := schema["description"]; ok {
			p["description"] = text
			delete(schema, "description")
		}
		p["schema"] = schema
		out = append(out, p)
	}
	return out
}

// content describes a body. For a stream, the schema is that of its parts.
func (d *Document) content(media string, t reflect.Type) Object {
	schema := d.Schemas.Of(t)
	switch media {
	case "":
		media = "application/json"
	case "text/event-stream", "application/x-ndjson":
		schema = Object{
			"type": "string", "contentMediaType": "application/json", "contentSchema": schema,
			"description": "one after the other",
		}
	}
	return Object{media: Object{"schema": schema}}
}

func (d *Document) responses(r Route) Object {
	out := Object{}
	for status := range d.Responses {
		out[status] = Object{"$ref": "#/components/responses/" + status}
	}
	done := Object{"description": http.StatusText(r.Status)}
	if r.Out != nil {
		done["content"] = d.content(r.Gives, r.Out)
	}
	headers := Object{}
	for _, h := range r.Answered {
		headers[h] = Object{"$ref": "#/components/headers/" + h}
	}
	if len(headers) > 0 {
		done["headers"] = headers
	}
	out[strconv.Itoa(r.Status)] = done
	return out
}

// operation names an operation: GET /api/v1/sessions/{id}/events is getSessionsIdEvents.
func operation(method, path string) string {
	_, path, _ = strings.Cut(path, "/v1/")
	words := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/{}._-", r) })
	return strings.ToLower(method) + upper(words...)
}

// Bytes encodes the document.
func (d *Document) Bytes() ([]byte, error) {
	tags := []any{}
	for _, name := range d.Tags {
		tags = append(tags, Object{"name": name})
	}
	security := []any{}
	for _, name := range slices.Sorted(maps.Keys(d.Security)) {
		security = append(security, Object{name: []string{}})
	}
	text, err := jsondoc.Compact(jsondoc.Object{
		{Name: "openapi", Value: "3.1.0"},
		{Name: "info", Value: d.Info},
		{Name: "servers", Value: []any{Object{"url": "/"}}},
		{Name: "tags", Value: tags},
		{Name: "security", Value: security},
		{Name: "paths", Value: d.paths},
		{Name: "components", Value: Object{
			"schemas": d.Schemas.Components, "parameters": d.Parameters, "headers": d.Headers, "responses": d.Responses,
			"securitySchemes": d.Security,
		}},
	})
	if err == nil {
		err = d.Schemas.Err()
	}
	var b bytes.Buffer
	if err == nil {
		err = json.Indent(&b, []byte(text), "", " ")
	}
	return append(b.Bytes(), '\n'), err
}
