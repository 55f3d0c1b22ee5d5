package api_test

import (
	"bytes"
	"html"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// contract checks the server's responses in all tests against its OpenAPI document.
type contract struct {
	routes *http.ServeMux
	all    map[string]map[string]*jsonschema.Schema // schemas by "METHOD /path", then by status; nil: no content
	events *jsonschema.Schema
}

var theContract = sync.OnceValue(func() *contract { return new(contract) })

var reading sync.Once

func contractOf(t testing.TB) *contract {
	t.Helper()
	c := theContract()
	reading.Do(func() { c.read(t) })
	return c
}

func (c *contract) read(t testing.TB) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(api.Strict(t)))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("mem:openapi", doc))
	compiled := func(at ...string) *jsonschema.Schema {
		for i, name := range at {
			at[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		}
		schema, err := compiler.Compile("mem:openapi#/" + strings.Join(at, "/"))
		require.NoError(t, err)
		return schema
	}
	c.routes, c.all = http.NewServeMux(), map[string]map[string]*jsonschema.Schema{}
	failed := compiled("components", "responses", "default", "content", "application/json", "schema")
	for path, item := range doc.(map[string]any)["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			pattern := strings.ToUpper(method) + " " + path
			c.routes.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
			c.all[pattern] = map[string]*jsonschema.Schema{"default": failed}
			for status, answer := range op.(map[string]any)["responses"].(map[string]any) {
				content, _ := answer.(map[string]any)["content"].(map[string]any)
				switch {
				case answer.(map[string]any)["$ref"] != nil:
				case content["application/json"] == nil:
					c.all[pattern][status] = nil
				default:
					c.all[pattern][status] = compiled(
						"paths", path, method, "responses", status, "content", "application/json", "schema")
				}
			}
		}
	}
	c.events = compiled("components", "schemas", "Streamed")
}

// answer checks the response to a request.
func (c *contract) answer(t testing.TB, r *http.Request, status int, body []byte) {
	t.Helper()
	_, pattern := c.routes.Handler(r)
	all, ok := c.all[pattern]
	if !ok || status == http.StatusMovedPermanently {
		return
	}
	schema, ok := all[strconv.Itoa(status)]
	if !ok {
		if !assert.GreaterOrEqual(t, status, 300, "%s: the document knows no answer %d", pattern, status) {
			return
		}
		schema = all["default"]
	}
	if schema == nil {
		return
	}
	valid(t, schema, body, pattern)
}

// event checks a message of a stream.
func (c *contract) event(t testing.TB, data []byte) {
	t.Helper()
	valid(t, c.events, data, "GET /api/v1/events")
}

func valid(t testing.TB, schema *jsonschema.Schema, data []byte, where string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err, "%s: %s", where, data)
	assert.NoError(t, schema.Validate(v), "%s: the answer is not what openapi.json says\n%s", where, data)
}

// TestTheDocumentIsServed: the server sends the document, but only to clients with a token.
func TestTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	status, doc, header := s.send("GET", "api/v1/openapi.json", nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "3.1.0", doc.text("openapi"))
	require.Equal(t, "application/json; charset=utf-8", header.Get("Content-Type"))
	status, _, _ = s.send("GET", "api/v1/openapi.json", nil, func(r *http.Request) { r.Header.Del("Authorization") })
	require.Equal(t, http.StatusUnauthorized, status)
}

// TestTheReference: the page that shows the document loads nothing else.
func TestTheReference(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	page := s.page("reference")
	for _, want := range []string{
		"POST /api/v1/sessions/{id}/ask", "Idempotency-Key", `id="type-Session"`, `href="#type-Session"`, "run_ended",
	} {
		require.Contains(t, page, want)
	}
	require.NotRegexp(t, `<script|style="|src=|https?://|ZgotmplZ`, page)
}

// page fetches a page as a browser does.
func (s *site) page(path string) string {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.url+path, nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	require.Equal(s.t, http.StatusOK, res.StatusCode)
	b, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	nonce := regexp.MustCompile(`<style nonce="([^"]+)">`).FindStringSubmatch(string(b))
	require.Len(s.t, nonce, 2)
	require.Contains(s.t, res.Header.Get("Content-Security-Policy"), "'nonce-"+html.UnescapeString(nonce[1])+"'")
	return string(b)
}
