package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// messagesIn returns the protocol messages in a line that a server printed. Other output, such as a JSON log or a
// prompt before a message, is left out. So are requests that only a client sends: the server is logging its input.
func messagesIn(line []byte) (found [][]byte) {
	if !bytes.Contains(line, []byte(`"jsonrpc"`)) {
		return nil
	}
	for tries := 0; tries < mostTries; tries++ {
		at := bytes.IndexByte(line, '{')
		if at < 0 {
			break
		}
		line = line[at:]
		d := json.NewDecoder(bytes.NewReader(line))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			line = line[1:]
			continue
		}
		line = line[d.InputOffset():]
		if isMessage(value) {
			found = append(found, value)
		}
	}
	return found
}

// mostTries bounds the attempts to find a message in one line.
const mostTries = 100

func isMessage(value []byte) bool {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(value, &m) != nil || m.Version != "2.0" {
		return false
	}
	if m.Method != "" {
		ours := []string{"initialize", "tools/list", "tools/call", "notifications/initialized"}
		return !slices.Contains(ours, m.Method)
	}
	return len(m.ID) > 0 && (len(m.Result) > 0 || len(m.Error) > 0)
}

// readable converts a message to a form that the SDK reads without loss. Structured content becomes a JSON string,
// since the SDK would turn its integers into floating-point numbers. If the SDK cannot read a tool or a piece of
// content, only the unreadable part is removed: the SDK would refuse the whole message, and thus all tools, or the
// result of a call that took effect.
func readable(message []byte) []byte {
	var whole, result map[string]json.RawMessage
	if json.Unmarshal(message, &whole) != nil || json.Unmarshal(whole["result"], &result) != nil {
		return message
	}
	changed := quoteStructured(result)
	changed = repairList(result, "tools", readableTool) || changed
	changed = repairList(result, "content", readableContent) || changed
	changed = repairRest(result) || changed
	if !changed {
		return message
	}
	var err error
	if whole["result"], err = json.Marshal(result); err != nil {
		return message
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return message
	}
	return out
}

// repairRest makes the field isError of a call's result readable, and drops other unreadable fields.
func repairRest(result map[string]json.RawMessage) (changed bool) {
	if result["content"] == nil && result["structuredContent"] == nil {
		return false
	}
	for name, value := range result {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil || json.Unmarshal(one, new(mcp.CallToolResult)) == nil {
			continue
		}
		if changed = true; name == "isError" {
			no := slices.Contains([]string{`"false"`, `"False"`, `""`, `"0"`, "0"}, string(value))
			result[name] = json.RawMessage(strconv.FormatBool(!no))
		} else {
			delete(result, name)
		}
	}
	return changed
}

func quoteStructured(result map[string]json.RawMessage) bool {
	if len(result["structuredContent"]) == 0 {
		return false
	}
	quoted, err := json.Marshal(string(result["structuredContent"]))
	if err != nil {
		return false
	}
	result["structuredContent"] = quoted
	return true
}

// repairList repairs each element of a list, or drops it.
func repairList(
	result map[string]json.RawMessage, name string, repair func(json.RawMessage) (json.RawMessage, bool),
) bool {
	var list, kept []json.RawMessage
	raw := bytes.TrimSpace(result[name])
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return false
	case raw[0] != '[':
		list = []json.RawMessage{raw} // a single element without a list around it
	case json.Unmarshal(raw, &list) != nil:
		return false
	}
	for _, element := range list {
		if whole, ok := repair(element); ok {
			kept = append(kept, whole)
		}
	}
	out, err := json.Marshal(slices.Concat([]json.RawMessage{}, kept))
	if err != nil {
		return false
	}
	result[name] = out
	return true
}

// unreadable is the metadata key that lists the removed fields of a tool.
const unreadable = "github.com/gorlm/rlm/unreadable"

// readableTool returns a tool without its unreadable fields. A tool without a name is dropped.
func readableTool(raw json.RawMessage) (json.RawMessage, bool) {
	if json.Unmarshal(raw, new(mcp.Tool)) == nil {
		return raw, true
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil, false
	}
	var wrong []string
	for name, value := range all {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil || json.Unmarshal(one, new(mcp.Tool)) != nil {
			wrong = append(wrong, name)
			delete(all, name)
		}
	}
	slices.Sort(wrong)
	meta, err := json.Marshal(map[string]any{unreadable: wrong})
	if err != nil || all["name"] == nil {
		return nil, false
	}
	all["_meta"] = meta
	out, err := json.Marshal(all)
	return out, err == nil
}

// readableContent returns a piece of content, as text if its kind is unknown or makes no sense.
func readableContent(raw json.RawMessage) (json.RawMessage, bool) {
	one, err := json.Marshal(map[string]any{"content": []json.RawMessage{raw}})
	if err == nil && json.Unmarshal(one, new(mcp.CallToolResult)) == nil {
		return raw, true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	out, err := json.Marshal(map[string]string{"type": "text", "text": text})
	return out, err == nil
}
