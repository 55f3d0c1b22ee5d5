package mcp_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/mcp"
)

const counted = `{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"}},"required":["name","count"]}`

// give returns a server with a tool "give". Its output schema is promised, and it returns structured and texts.
func give(t *testing.T, promised, structured string, texts ...string) mcp.Server {
	content := []map[string]string{}
	for _, text := range texts {
		content = append(content, map[string]string{"type": "text", "text": text})
	}
	result := map[string]any{"content": content}
	if structured != "" {
		result["structuredContent"] = json.RawMessage(structured)
	}
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	server, _ := script{
		Tools:  []json.RawMessage{tool("give", "", promised)},
		Result: map[string]json.RawMessage{"give": raw},
	}.write(t)
	return server
}

// TestWhatAToolOwes: if a promised value is missing, the call fails instead of returning a zero value.
func TestWhatAToolOwes(t *testing.T) {
	t.Parallel()
	of := func(property, required string) string {
		return fmt.Sprintf(`{"type":"object","properties":{"a":%s},"required":[%s],"additionalProperties":false}`,
			property, required)
	}
	const def = `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`
	for name, c := range map[string]struct{ promised, given, says string }{
		"a field is missing": {counted, `{"name":"x"}`, "field count is missing"},
		"a field is null": {
			counted, `{"name":"x","count":null}`, "field count should be a whole number, and is null",
		},
		"a field of another name": {
			counted, `{"name":"x","Count":3}`, `field count is missing (there is "Count")`,
		},
		"another type": {
			counted, `{"name":"x","count":"3"}`, "field count should be a whole number",
		},
		"a list":                    {counted, `[1]`, "it should be an object, and is [1]"},
		"a nested field is missing": {of(counted, `"a"`), `{"a":{"name":"x"}}`, "field a.count is missing"},
		"of an optional object":     {of(counted, ``), `{"a":{"name":"x"}}`, "field a.count is missing"},
		"in a list": {
			of(`{"type":"array","items":`+counted+`}`, `"a"`),
			`{"a":[{"name":"x","count":1},{"name":"y"}]}`, "field a[1].count is missing",
		},
		"null in a list": {
			of(`{"type":"array","items":{"type":"integer"}}`, `"a"`),
			`{"a":[1,null]}`, "field a[1] should be a whole number, and is null",
		},
		"null in a map": {
			of(`{"type":"object","additionalProperties":{"type":"number"}}`, `"a"`),
			`{"a":{"k":null}}`, "field a.k should be a number, and is null",
		},
		"by reference": {def, `{"a":{}}`, "field a.n is missing"},
		"by reference beside a type": {
			strings.Replace(def, `{"$ref"`, `{"type":"object","$ref"`, 1), `{"a":{}}`, "field a.n is missing",
		},
		"by reference to a property": {`{"type":"object","properties":{"a":` + counted +
			`,"b":{"$ref":"#/properties/a"}},"required":["b"]}`, `{"b":{"name":"x"}}`, "field b.count is missing"},
		"by allOf": {
			`{"type":"object","allOf":[` + counted + `]}`, `{"name":"x"}`, "field count is missing",
		},
		"in a tuple": {of(`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`,
			`"a"`), `{"a":["x",null]}`, "field a[1] should be a whole number, and is null"},
		"in an alternative": {
			of(`{"oneOf":[`+counted+`,{"type":"null"}]}`, `"a"`), `{"a":{"name":"x"}}`, "field a.count is missing",
		},
		"a required field without a type": {`{"type":"object","required":["b"]}`, `{"a":1}`, "field b is missing"},
		"a word that is not on the list": {
			of(`{"enum":["up","down"]}`, `"a"`), `{"a":"left"}`, `field a should be one of "up", "down"`,
		},
		"text of a server without data":     {counted, ``, "promised data and gave text"},
		"an optional field is missing":      {of(`{"type":"integer"}`, ``), `{}`, ""},
		"an optional field is null":         {of(`{"type":"integer"}`, ``), `{"a":null}`, ""},
		"null is promised":                  {of(`{"type":["integer","null"]}`, `"a"`), `{"a":null}`, ""},
		"a whole number with a point":       {counted, `{"name":"x","count":3.0}`, ""},
		"a number too large for a float":    {counted, `{"name":"x","count":9007199254740993}`, ""},
		"a field that the schema rules out": {of(`{"type":"integer"}`, `"a"`), `{"a":1,"b":2}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := []string{}
			if c.given == "" {
				texts = append(texts, "no data today")
			}
			out, failed := run(t, session(t, start(t, mcp.Options{}, give(t, c.promised, c.given, texts...))),
				"r := give()\n_ = r\nfmt.Println(\"used\")")
			if c.says == "" {
				require.Empty(t, failed)
				require.Equal(t, "used\n", out)
				return
			}
			require.Contains(t, failed, c.says)
			require.NotContains(t, out, "used")
			if c.given != "" {
				require.Contains(t, failed, "the call of give was made and answered")
			}
		})
	}
}

// TestWhatAToolGivesBesides: content beside the structured result reaches the cell too, without repetition.
func TestWhatAToolGivesBesides(t *testing.T) {
	t.Parallel()
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}},"required":["items"]}`
	const wrapped = `{"type":"object","properties":{"result":{"type":"array","items":{"type":"string"}}},"required":["result"]}`
	const two = `{"items":[{"id":1},{"id":2}]}`
	for name, c := range map[string]struct {
		promised, given string
		texts, notes    []string
	}{
		"text": {
			items, two, []string{"Showing the first 2 of 5230."}, []string{"Showing the first 2 of 5230."},
		},
		"a field": {items, `{"items":[],"total":5230}`, nil, []string{"total: 5230"}},
		"fields of elements": {
			items, `{"items":[{"id":1,"url":"a"},{"id":2,"url":"b"}]}`, nil, []string{`items[].url: ["a","b"]`},
		},
		"text beside its data":    {items, two, []string{two, "More on page 2."}, []string{"More on page 2."}},
		"data without a schema":   {"", two, []string{"Two items."}, []string{two}},
		"text, without a content": {"", two, nil, nil},
		"the data as text":        {items, two, []string{"{\n  \"items\": [ {\"id\":1}, {\"id\":2} ] }"}, nil},
		"its elements as texts":   {wrapped, `{"result":["a","b"]}`, []string{"a", "b"}, nil},
		"an old server":           {items, "", []string{two}, nil},
		"an old server with text": {items, "", []string{"Page 1 of 9", two}, []string{"Page 1 of 9"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := session(t, start(t, mcp.Options{}, give(t, c.promised, c.given, c.texts...))).Exec(
				soon(t), "r := give()\nfmt.Println(r)")
			require.NoError(t, err)
			require.Nil(t, res.Error)
			if c.notes == nil {
				require.Empty(t, res.Notes)
				return
			}
			require.Len(t, res.Notes, 1)
			for _, note := range c.notes {
				require.Contains(t, res.Notes[0], note)
			}
		})
	}
}

// TestArgumentsThatAreEmpty: an optional argument that is empty is sent only if the cell sets it.
func TestArgumentsThatAreEmpty(t *testing.T) {
	t.Parallel()
	const input = `{"type":"object","required":["id","tags"],"properties":{"id":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
"labels":{"type":"array","items":{"type":"string"}},"assignee":{"type":"string"},"level":{"type":"string","default":"INFO"},"limit":{"type":"integer","default":10},
"ratio":{"type":"number"},"dry":{"type":"boolean","default":true},"meta":{"type":"object","additionalProperties":{"type":"string"}},"none":{"type":["integer","null"]},
"filter":{"type":"object","properties":{"from":{"type":"integer"},"name":{"type":"string"}}}}}`
	for cell, want := range map[string]string{
		`update("x", []string{})`:             `{"id":"x","tags":[]}`,
		`var tags []string; update("", tags)`: `{"id":"","tags":[]}`,
		`update("x", nil, UpdateOptions{})`:   `{"id":"x","tags":[]}`,
		`update("x", nil, UpdateOptions{Labels: []string{}, Assignee: "", Level: ""})`: `{"assignee":"","id":"x","labels":[],"level":"","tags":[]}`,
		`update("x", nil, UpdateOptions{Limit: 0, Ratio: 0.0, Dry: false, None: 0})`:   `{"dry":false,"id":"x","limit":0,"none":0,"ratio":0,"tags":[]}`,
		`update("x", nil, UpdateOptions{Meta: map[string]string{}})`:                   `{"id":"x","meta":{},"tags":[]}`,
		`o := UpdateOptions{}; n := 2 - 2; o.Limit = n; update("x", nil, o)`:           `{"id":"x","limit":0,"tags":[]}`,
		`update("x", nil, UpdateOptions{Filter: &UpdateOptionsFilter{From: 0}})`:       `{"filter":{"from":0},"id":"x","tags":[]}`,
		`update("x", nil, UpdateOptions{Filter: &UpdateOptionsFilter{}})`:              `{"filter":{},"id":"x","tags":[]}`,
		`update("x", nil, UpdateOptions{Limit: "many"})`:                               "field limit should be a whole number, and is \"many\": the call was not made",
		`update("x", nil, UpdateOptions{Filter: &UpdateOptionsFilter{Name: 7}})`:       "field filter.name should be text, and is 7: the call was not made",
	} {
		t.Run(cell, func(t *testing.T) {
			t.Parallel()
			server, made := script{Tools: []json.RawMessage{tool("update", input, "")}}.write(t)
			_, failed := run(t, session(t, start(t, mcp.Options{}, server)), cell)
			if !strings.HasPrefix(want, "{") {
				require.Contains(t, failed, want)
				require.Empty(t, made.calls(t))
				return
			}
			require.Empty(t, failed)
			require.Len(t, made.calls(t), 1)
			require.JSONEq(t, want, made.calls(t)[0])
		})
	}
}

// TestDocumentsOfATool: a document that is not text is converted; an unreadable one is named.
func TestDocumentsOfATool(t *testing.T) {
	t.Parallel()
	rtf := base64.StdEncoding.EncodeToString([]byte(`{\rtf1\ansi The {\b total} is 5230.\par}`))
	resource := func(kind, blob string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(
			`{"content":[{"type":"text","text":"Here:"},{"type":"resource","resource":{"uri":"file:///tmp/report.rtf","mimeType":%q,"blob":%q}}]%%s}`, kind, blob))
	}
	for name, c := range map[string]struct {
		promised, structured, blob, says string
	}{
		"text":           {"", "", rtf, "The total is 5230."},
		"beside data":    {counted, `,"structuredContent":{"name":"x","count":1}`, rtf, "The total is 5230."},
		"not a document": {"", "", "AQID", "[resource file:///tmp/report.rtf, application/rtf, 3 bytes]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := json.RawMessage(fmt.Sprintf(string(resource("application/rtf", c.blob)), c.structured))
			server, _ := script{
				Tools:  []json.RawMessage{tool("fetch", "", c.promised)},
				Result: map[string]json.RawMessage{"fetch": result},
			}.write(t)
			res, err := session(t, start(t, mcp.Options{}, server)).Exec(soon(t), "r := fetch()\nfmt.Println(r)")
			require.NoError(t, err)
			require.Nil(t, res.Error)
			require.Contains(t, res.Output+strings.Join(res.Notes, "\n"), c.says)
		})
	}
}
