package openai

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Roles of messages. A developer's messages are treated like the system's.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
)

// message is a message of a conversation, in the form that both kinds of requests have in common.
type message struct {
	role  string
	parts []part
}

// part is a text or a file.
type part struct {
	text string
	long *long  // on disk: a text, or the bytes of a file
	file string // id of an uploaded file
	name string // name of a file whose bytes are part of the request
	data []byte
}

func (p part) isText() bool { return p.file == "" && p.name == "" }

// isBlank reports whether a part is a text of only white space.
func (p part) isBlank() bool {
	return p.isText() && p.long == nil && strings.TrimSpace(p.text) == ""
}

// sum returns a hash of a part's content. White space around a text, which some clients remove, does not count.
func (p part) sum() [sha256.Size]byte {
	switch {
	case p.long != nil:
		return p.long.sum
	case p.data != nil:
		return sumOf(string(p.data))
	}
	return sumOf(p.text)
}

// hash returns a hash of a message and all messages before it. System messages do not count, because some clients
// put the time of day there.
func (m message) hash(before string) string {
	if m.role == roleSystem {
		return before
	}
	h := sha256.New()
	add := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	add(before)
	add(m.role)
	for _, p := range m.parts {
		if p.isBlank() {
			continue
		}
		if !p.isText() {
			add(p.file)
			add(p.name)
		}
		sum := p.sum()
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// wirePart is a part of a message in either kind of request.
type wirePart struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Refusal   string          `json:"refusal"`
	File      *wireFile       `json:"file"`      // in chat completions
	FileID    string          `json:"file_id"`   // in responses, as are the next two
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

// content reads the content of a message: a text, or a list of parts.
func (b *body) content(raw json.RawMessage, param string) ([]part, error) {
	if isText(raw) {
		var text string
		err := decode(raw, param, &text)
		return []part{{text: text, long: b.of(text)}}, err
	}
	all, err := elements(raw, param)
	if err != nil {
		return nil, wrong(param, "'"+param+"' must be a text or a list of parts")
	}
	var out []part
	for i, raw := range all {
		at := fmt.Sprintf("%s[%d]", param, i)
		var w wirePart
		if err := json.Unmarshal(raw, &w); err != nil { // unknown members are allowed, for parts of earlier answers
			return nil, unexpected(at, err)
		}
		p, err := b.part(w, at)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (b *body) part(w wirePart, param string) (part, error) {
	switch w.Type {
	case "text", "input_text", "output_text":
		if w.Text == nil {
			return part{}, wrong(param, "'"+param+".text' is missing")
		}
		return part{text: *w.Text, long: b.of(*w.Text)}, nil
	case "refusal":
		return part{text: w.Refusal, long: b.of(w.Refusal)}, nil
	case "file", "input_file":
		f := wireFile{w.FileID, w.FileName, w.FileData}
		if w.File != nil {
			f = *w.File
		}
		if w.FileURL != "" {
			return part{}, notHonoured(
				param+".file_url", "the server does not fetch URLs from requests; upload the file")
		}
		return b.file(f, param)
	case "":
		return part{}, wrong(param, "'"+param+".type' is missing")
	}
	return part{}, notHonoured(param+".type",
		"parts of this type are not supported: '"+text.Short(w.Type, 64)+"'; use text or files")
}

func (b *body) file(f wireFile, param string) (part, error) {
	switch {
	case f.ID != "" && f.Data != "", f.ID == "" && f.Data == "":
		return part{}, wrong(param, "'"+param+"' must have either file_id or file_data")
	case f.ID != "":
		return part{file: f.ID}, nil
	}
	name, err := documentName(cmp.Or(f.Name, "file"))
	if err != nil {
		return part{}, err
	}
	out := part{name: name}
	if l := b.of(f.Data); l != nil {
		from, ok := base64From(l.part(0, mostDataHead))
		if ok {
			out.long, err = b.decoded(l, int64(from))
		}
		ok = ok && err == nil
		if !ok {
			err = wrong(param+".file_data", notBase64)
		}
		return out, err
	}
	from, ok := base64From(f.Data)
	if ok {
		out.data, err = base64.StdEncoding.DecodeString(f.Data[from:])
		out.data = append([]byte{}, out.data...) // not nil even if empty
	}
	if !ok || err != nil {
		return part{}, wrong(param+".file_data", notBase64)
	}
	return out, nil
}

const (
	notBase64    = "file_data must be base64, or a data: URL with base64"
	mostDataHead = 1000 // maximum bytes before the comma of a data: URL
)

// base64From returns the offset of the base64 text in the data of a file. ok is false if data is a URL without
// base64.
func base64From(data string) (int, bool) {
	if !strings.HasPrefix(data, "data:") {
		return 0, true
	}
	head, _, ok := strings.Cut(data, ",")
	return len(head) + 1, ok && strings.HasSuffix(head, ";base64")
}
