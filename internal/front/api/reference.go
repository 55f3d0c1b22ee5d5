package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	_ "embed"

	"github.com/gorlm/rlm/internal/session"
)

// document describes the API in OpenAPI 3.1. A test generates it from the table of commands, the other routes and
// their Go types: go test ./internal/front/api -run TestTheDocument -update.
//
//go:embed openapi.json
var document []byte

// described sends the document.
func described(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(document) // fails only if the client is gone
}

// api31 is the part of a document that the reference shows.
type api31 struct {
	Info  struct{ Title, Description string }
	Tags  []struct{ Name string }
	Paths map[string]map[string]operation31

	Components struct {
		Schemas    map[string]schema31
		Parameters map[string]parameter31
	}
}

type operation31 struct {
	ID         string `json:"operationId"`
	Summary    string
	Tags       []string
	Parameters []parameter31
	Body       *content31 `json:"requestBody"`
	Responses  map[string]content31

	Method, Path string `json:"-"`
}

type parameter31 struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Schema      schema31
}

type content31 struct {
	Content map[string]struct{ Schema schema31 }
}

type schema31 struct {
	Ref         string `json:"$ref"`
	Type        string
	Format      string
	Const       string
	Description string
	Items       *schema31
	Others      json.RawMessage `json:"additionalProperties"`
	Part        *schema31       `json:"contentSchema"`
	AnyOf       []schema31
	OneOf       []schema31
	Properties  members31
	Required    []string
}

// members31 are the members of an object, in the order of the document.
type members31 []member31

type member31 struct {
	Name string
	schema31
}

func (m *members31) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := member31{Name: fmt.Sprint(name)}
		if err := d.Decode(&one.schema31); err != nil {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

// Must reports whether a member is required.
func (s schema31) Must(name string) bool { return slices.Contains(s.Required, name) }

// Kind describes the type of a value, with links to named types.
func (s schema31) Kind() template.HTML {
	name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	var others schema31
	switch {
	case name != "":
		return template.HTML(fmt.Sprintf(`<a href="#type-%[1]s">%[1]s</a>`, template.HTMLEscapeString(name)))
	case s.Part != nil:
		return "a stream of " + s.Part.Kind()
	case s.Items != nil:
		return "list of " + s.Items.Kind()
	case s.Const != "":
		return template.HTML("<code>" + template.HTMLEscapeString(s.Const) + "</code>")
	case len(s.AnyOf)+len(s.OneOf) > 0:
		return oneOf(append(s.AnyOf, s.OneOf...))
	case len(s.Others) > 0 && json.Unmarshal(s.Others, &others) == nil:
		return "object of " + others.Kind()
	case s.Type == "":
		return "any JSON"
	case s.Format != "" && s.Format != "int64":
		return template.HTML(template.HTMLEscapeString(s.Type + ", " + s.Format))
	}
	return template.HTML(template.HTMLEscapeString(s.Type))
}

// oneOf lists the alternatives of a value. Events are shown with their types.
func oneOf(all []schema31) template.HTML {
	var out []string
	for _, s := range all {
		kind := s.Kind()
		if data := s.member("data"); data != nil {
			kind = s.member("type").Kind() + ": " + data.Kind()
		}
		out = append(out, string(kind))
	}
	return template.HTML(strings.Join(out, " or "))
}

func (s schema31) member(name string) *schema31 {
	for _, m := range s.Properties {
		if m.Name == name {
			return &m.schema31
		}
	}
	return nil
}

// Routes returns the operations of a tag.
func (a *api31) Routes(tag string) (out []operation31) {
	for _, path := range slices.Sorted(maps.Keys(a.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(a.Paths[path])) {
			op := a.Paths[path][method]
			if !slices.Contains(op.Tags, tag) {
				continue
			}
			op.Method, op.Path = strings.ToUpper(method), path
			for i, p := range op.Parameters {
				if name := p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]; name != "" {
					op.Parameters[i] = a.Components.Parameters[name]
				}
			}
			out = append(out, op)
		}
	}
	return out
}

//go:embed reference.html
var referenceText string

// parsedReference returns the template of the page that shows the document, parsed on first use.
var parsedReference = sync.OnceValues(func() (page *template.Template, err error) {
	return template.New("reference").Parse(referenceText)
})

// reference shows the document to people.
func reference(w http.ResponseWriter, r *http.Request) {
	var doc api31
	var b bytes.Buffer
	page, err := parsedReference()
	if err == nil {
		err = json.Unmarshal(document, &doc)
	}
	if err == nil {
		err = page.Execute(&b, map[string]any{"API": &doc, "Nonce": nonceOf(r.Context())})
	}
	if err != nil {
		refuse(w, &session.Error{Code: "internal", Message: err.Error()})
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // fails only if the client is gone
}
