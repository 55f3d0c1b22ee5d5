package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

const looseSchema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`

func jsonRequest(schema string) llm.Request {
	req := ask("how many?")
	req.Format = &llm.Format{Name: "count", Schema: json.RawMessage(schema)}
	return req
}

func TestASchemaIsSentVerbatim(t *testing.T) {
	for schema, strict := range map[string]bool{
		looseSchema: false,
		`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`:                                         true,
		`{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"string"}},"required":["n"],"additionalProperties":false}`:                   false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"array","items":{"type":"string"}}`:                                                           false,
		`{"type":"object","properties":{"x":{"type":"object"}},"required":["x"],"additionalProperties":false}`: false,
		`{"type":"object","properties":{"x":{"properties":{}}},"required":["x"],"additionalProperties":false}`: false,
		`{"type":"object","properties":{},"additionalProperties":true}`:                                        false,
		`{"type":"object","properties":{},"additionalProperties":{}}`:                                          false,
		`{"additionalProperties":false}`:                                                                       false,
		`{"type":"object","$defs":{"t":{"anyOf":[{"type":"null"},{"type":"string"}],"title":"T"}},"properties":{"n":{"$ref":"#/$defs/t"}},"required":["n"],"additionalProperties":false}`: true,
	} {
		s := fakeapi.Start(fakeapi.Says(`{"n":3}`)...)
		generate(t, client(t, s), jsonRequest(schema))
		var sent struct {
			Format struct {
				Type   string `json:"type"`
				Schema struct {
					Name   string          `json:"name"`
					Strict bool            `json:"strict"`
					Schema json.RawMessage `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		require.NoError(t, json.Unmarshal(s.Requests()[0].Body, &sent))
		require.Equal(t, "json_schema", sent.Format.Type)
		require.Equal(t, "count", sent.Format.Schema.Name)
		require.Equal(t, strict, sent.Format.Schema.Strict, schema)
		require.JSONEq(t, schema, string(sent.Format.Schema.Schema))
	}
}

// An endpoint that accepts no schema is asked for any JSON, then in words only; the client remembers.
func TestAFormatThatIsRefused(t *testing.T) {
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if r.Field("response_format") != nil {
			return fakeapi.Failing(400, "This response_format type is unavailable now")
		}
		return fakeapi.Reply{Content: `{"n":3}`}
	})
	c := client(t, s)
	resp, _ := generate(t, c, jsonRequest(looseSchema))
	require.Equal(t, `{"n":3}`, resp.Content)
	calls := s.Requests()
	require.Len(t, calls, 3)
	require.Equal(t, map[string]any{"type": "json_object"}, calls[1].Field("response_format"))
	for _, later := range calls[1:] {
		require.True(t, strings.HasPrefix(later.Last(), "how many?"))
		require.Contains(t, later.Last(), looseSchema)
	}
	generate(t, c, jsonRequest(looseSchema))
	require.Len(t, s.Requests(), 4)
	generate(t, c, ask("plain"))
	require.Equal(t, "plain", s.Requests()[4].Last())

	// Only a schema of an object can be requested as a format.
	generate(t, client(t, s), jsonRequest(`{"type":"array"}`))
	require.Len(t, s.Requests(), 7)
	require.Nil(t, s.Requests()[6].Field("response_format"))
	require.Contains(t, s.Requests()[6].Last(), `{"type":"array"}`)
}

func TestNamesOfTheTokenLimit(t *testing.T) {
	for refused, accepted := range map[string]string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.": "max_completion_tokens",
	} {
		s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
			if r.Field(accepted) == nil {
				return fakeapi.Failing(400, refused)
			}
			return fakeapi.Reply{Content: "ok"}
		})
		c := client(t, s)
		req := ask("hi")
		req.MaxTokens = 9
		for range 2 {
			generate(t, c, req)
		}
		require.Len(t, s.Requests(), 3, "learnt once")
	}

	s := fakeapi.Start(fakeapi.Rule{
		Times: -1, Reply: fakeapi.Failing(400, "unsupported: max_tokens, max_completion_tokens"),
	})
	req := ask("hi")
	req.MaxTokens = 9
	e := failure(t, client(t, s), req)
	require.Equal(t, llm.ErrBadRequest, e.Kind)
	require.Len(t, s.Requests(), 2, "no to and fro")
}

func TestStreamOptionsThatAreRefused(t *testing.T) {
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if r.Field("stream_options") != nil {
			return fakeapi.Failing(422, "stream_options: extra fields not permitted")
		}
		return fakeapi.Reply{Content: "ok", NoUsage: true}
	})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.True(t, resp.Usage.Estimated)
}
