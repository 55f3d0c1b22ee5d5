package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Roles of messages. Those of developers count as the system's.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
)

// message is one of a conversation, in the form that both kinds of requests have in common.
type message struct {
	role  string
	parts []part
}

// part is a text or a file.
type part struct {
	text string
	file string // id of an uploaded one
	name string // of a file whose bytes came along
	data []byte
}

func (p part) isText() bool { return p.file == "" && p.data == nil }

// text is what a message says besides files.
func (m message) text() string {
	var all []string
	for _, p := range m.parts {
		if p.isText() {
			all = append(all, p.text)
		}
	}
	return strings.Join(all, "\n\n")
}

// hash names a message and all that came before it.
func (m message) hash(before string) string {
	h := sha256.New()
	add := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	add(before)
	add(m.role)
	add(m.text())
	for _, p := range m.parts {
		if !p.isText() {
			add(p.file)
			add(p.name)
			h.Write(p.data)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// wirePart is a part of a message in either kind of request.
type wirePart struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Refusal   string          `json:"refusal"`
	File      *wireFile       `json:"file"`      // chat completions
	FileID    string          `json:"file_id"`   // responses
	FileName  string          `json:"filename"`  //
	FileData  string          `json:"file_data"` //
	Marks     json.RawMessage `json:"annotations"`
	LogProbs  json.RawMessage `json:"logprobs"`
	Cache     json.RawMessage `json:"cache_control"`
	FileURL   string          `json:"file_url"`
	ImageURL  json.RawMessage `json:"image_url"`
	Detail    string          `json:"detail"`
	Audio     json.RawMessage `json:"input_audio"`
	Reasoning json.RawMessage `json:"reasoning"`
}

type wireFile struct {
	ID   string `json:"file_id"`
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// content reads what a message says: a text, or a list of parts.
func content(raw json.RawMessage, param string) ([]part, error) {
	if isText(raw) {
		var text string
		err := decode(raw, param, &text)
		return []part{{text: text}}, err
	}
	all, err := elements(raw, param)
	if err != nil {
		return nil, wrong(param, "'"+param+"' is a text or a list of parts")
	}
	var out []part
	for i, raw := range all {
		at := fmt.Sprintf("%s[%d]", param, i)
		var w wirePart
		if err := decode(raw, at, &w); err != nil {
			return nil, err
		}
		p, err := w.part(at)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (w wirePart) part(param string) (part, error) {
	switch w.Type {
	case "text", "input_text", "output_text":
		if w.Text == nil {
			return part{}, wrong(param, "'"+param+".text' is missing")
		}
		return part{text: *w.Text}, nil
	case "refusal":
		return part{text: w.Refusal}, nil
	case "file", "input_file":
		f := wireFile{w.FileID, w.FileName, w.FileData}
		if w.File != nil {
			f = *w.File
		}
		if w.FileURL != "" {
			return part{}, notHonoured(param+".file_url", "the server fetches nothing that a request names; upload the file")
		}
		return f.part(param)
	case "":
		return part{}, wrong(param, "'"+param+".type' is missing")
	}
	return part{}, notHonoured(param+".type", "there is no way to serve a part of type '"+cut(w.Type, 64)+"'; text and files can be served")
}

func (f wireFile) part(param string) (part, error) {
	switch {
	case f.ID != "" && f.Data != "", f.ID == "" && f.Data == "":
		return part{}, wrong(param, "'"+param+"' names a file by file_id, or has its bytes as file_data")
	case f.ID != "":
		return part{file: f.ID}, nil
	}
	data := f.Data
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		head, encoded, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasSuffix(head, ";base64") {
			return part{}, wrong(param+".file_data", "file_data is base64, or a data: URL of base64")
		}
		data = encoded
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return part{}, wrong(param+".file_data", "file_data is base64, or a data: URL of base64")
	}
	if f.Name == "" {
		f.Name = "file"
	}
	name, err := documentName(f.Name)
	return part{name: name, data: append([]byte{}, b...)}, err
}
