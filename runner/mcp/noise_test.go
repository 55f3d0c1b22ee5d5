package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/mcp"
)

// TestWhatAServerPrintsBesides: output besides the messages breaks no call and no connection.
func TestWhatAServerPrintsBesides(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"a log in JSON":               `{"level":"info","msg":"called"}` + "\n",
		"with the protocol's word":    `{"jsonrpc":"2.0","level":"info"}` + "\n" + `{"msg":"jsonrpc \"2.0\""}` + "\n",
		"a message inside of a log":   `{"level":"debug","sent":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"wrong"}]}}}` + "\n",
		"JSON that has no end":        `{"jsonrpc":"2.0","id":` + "\n",
		"many lines":                  "{\n  \"level\": 1\n}\n[]\n\"x\"\n7\nnull\n",
		"what it was sent":            "received: %s\n",
		"what it was sent, alone":     "%s\n",
		"text on the message's line":  "Working {1 of 2}... ",
		"a byte order mark":           "\ufeff",
		"colours":                     "\x1b[32m{ok}\x1b[0m ",
		"a log on the message's line": `{"level":"info"}`,
		"a carriage return":           "10%\r100%\r",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, made := script{Tools: []json.RawMessage{tool("echo", "", "")}, Before: before}.write(t)
			s := session(t, start(t, mcp.Options{}, server))
			for range 2 {
				out, failed := run(t, s, "fmt.Println(echo())")
				require.Empty(t, failed)
				require.Equal(t, "done\n", out)
			}
			require.Len(t, made.calls(t), 2)
		})
	}
}

// TestAToolThatMakesNoSense: a tool with an invalid definition is left out, or loses only its hints. Other tools
// remain.
func TestAToolThatMakesNoSense(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tool, note string }{
		"a hint that is text": {
			`{"name":"odd","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"}}`,
			"What the server says of [annotations] cannot be read.",
		},
		"a description that is none": {
			`{"name":"odd","inputSchema":{"type":"object"},"description":5,"title":[]}`,
			"What the server says of [description title] cannot be read.",
		},
		"a schema that is text": {`{"name":"odd","inputSchema":"none"}`, ""},
		"a reference beside its type": {
			`{"name":"odd","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/x","type":"string"}},"$defs":{"x":{"type":"string"}}}}`, "",
		},
		"no name":                        {`{"inputSchema":{"type":"object"}}`, "none"},
		"a name that is a number":        {`{"name":5,"inputSchema":{"type":"object"}}`, "none"},
		"a name that is null":            {`{"name":null,"inputSchema":{"type":"object"}}`, "none"},
		"no object":                      {`"odd"`, "none"},
		"null":                           {`null`, "none"},
		"a schema that refers to itself": {`{"name":"odd","inputSchema":{"$ref":"#"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := script{Tools: []json.RawMessage{json.RawMessage(c.tool), tool("echo", "", "")}}.write(t)
			servers := start(t, mcp.Options{}, server)
			list, err := servers.List(soon(t))
			require.NoError(t, err)
			if c.note == "none" {
				require.Len(t, list, 1)
			} else {
				require.Len(t, list, 2)
				require.Contains(t, list[0].Note, c.note)
				require.Contains(t, list[0].Note, "was not allowed", "what cannot be read allows nothing")
			}
			out, failed := run(t, session(t, servers), "fmt.Println(echo())")
			require.Empty(t, failed)
			require.Equal(t, "done\n", out)
		})
	}
}

// TestContentThatMakesNoSense: a call that took effect has a result, whatever its content.
func TestContentThatMakesNoSense(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ result, says string }{
		"of a kind to come": {
			`{"content":[{"type":"video","url":"x"},{"type":"text","text":"and text"}]}`,
			"{\"type\":\"video\",\"url\":\"x\"}\nand text\n",
		},
		"text alone": {`{"content":"just text"}`, "just text\n"},
		"texts":      {`{"content":["a","b"]}`, "a\nb\n"},
		"null":       {`{"content":null}`, "\n"},
		"nothing":    {`{}`, "\n"},
		"metadata":   {`{"content":[{"type":"text","text":"t"}],"_meta":5,"isError":"false"}`, "t\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, made := script{
				Tools:  []json.RawMessage{tool("odd", "", "")},
				Result: map[string]json.RawMessage{"odd": json.RawMessage(c.result)},
			}.write(t)
			out, failed := run(t, session(t, start(t, mcp.Options{}, server)), "fmt.Println(odd())")
			require.Empty(t, failed)
			require.Equal(t, c.says, out)
			require.Len(t, made.calls(t), 1)
		})
	}
	for _, failing := range []string{`"true"`, `1`, `{}`} {
		result := json.RawMessage(`{"content":[{"type":"text","text":"it is locked"}],"isError":` + failing + `}`)
		server, _ := script{
			Tools:  []json.RawMessage{tool("odd", "", "")},
			Result: map[string]json.RawMessage{"odd": result},
		}.write(t)
		_, failed := run(t, session(t, start(t, mcp.Options{}, server)), "fmt.Println(odd())")
		require.Contains(t, failed, "failed: it is locked", failing)
	}
}
