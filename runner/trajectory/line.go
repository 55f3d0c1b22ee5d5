package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
)

// envelope is an event as JSON.
type envelope struct {
	Seq  int64           `json:"seq"`
	Time time.Time       `json:"time"`
	Path string          `json:"path,omitempty"`
	Turn int             `json:"turn,omitempty"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON encodes the event as one JSON object, with its texts in full.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Data == nil {
		return nil, fmt.Errorf("event %d has no data", e.Seq)
	}
	payload, err := text.JSON(e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
	}
	return e.appendLine(nil, withFields(payload, e.extra))
}

// appendLine appends the event as JSON: an envelope around an encoded payload.
func (e Event) appendLine(out, payload []byte) ([]byte, error) {
	out = slices.Grow(out, len(payload)+128)
	out = strconv.AppendInt(append(out, `{"seq":`...), e.Seq, 10)
	out, err := e.Time.AppendText(append(out, `,"time":"`...))
	if err != nil {
		return nil, err
	}
	out = append(out, '"')
	if e.Path != "" {
		out = text.AppendQuoted(append(out, `,"path":`...), e.Path)
	}
	if e.Turn != 0 {
		out = strconv.AppendInt(append(out, `,"turn":`...), int64(e.Turn), 10)
	}
	out = text.AppendQuoted(append(out, `,"type":`...), e.Data.EventType())
	return append(append(append(out, `,"data":`...), payload...), '}'), nil
}

// withFields adds fields to a JSON object.
func withFields(object []byte, fields map[string]json.RawMessage) []byte {
	if len(fields) == 0 {
		return object
	}
	out := bytes.NewBuffer(slices.Clone(object[:len(object)-1]))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(append(text.AppendQuoted(nil, name), ':'))
		_ = json.Compact(out, fields[name]) // the field was read as JSON
	}
	return append(out.Bytes(), '}')
}

// UnmarshalJSON decodes an event. A type that this version does not know becomes Unknown; unknown fields are kept
// for MarshalJSON.
func (e *Event) UnmarshalJSON(b []byte) error { return e.decode(b, nil) }

// decode decodes an event. If only is not nil, a type for which it returns false gets no data: Data is then an
// empty Unknown.
func (e *Event) decode(b []byte, only func(typ string) bool) error {
	if env, ok := splitLine(b); ok && e.take(env, only) == nil {
		return nil
	}
	var env envelope
	if err := json.Unmarshal(b, &env); err != nil {
		return err
	}
	return e.take(env, only)
}

func (e *Event) take(env envelope, only func(typ string) bool) error {
	if env.Type == "" || env.Seq < 0 {
		return errors.New("not an event: it has no type or no number")
	}
	*e = Event{Seq: env.Seq, Time: env.Time, Path: env.Path, Turn: env.Turn}
	if only != nil && !only(env.Type) {
		e.Data = Unknown{Type: env.Type}
		return nil
	}
	var err error
	if e.Data, e.extra, err = decodeData(env.Type, env.Data); err != nil {
		return fmt.Errorf("event %d, %s: %w", env.Seq, env.Type, err)
	}
	return nil
}

// splitLine splits a line as this package writes it, without parsing the data. This avoids parsing everything
// twice, which matters for large logs. Other forms are left to encoding/json.
func splitLine(b []byte) (env envelope, ok bool) {
	var err error
	if b, ok = bytes.CutPrefix(b, []byte(`{"seq":`)); !ok {
		return env, false
	}
	number, b, _ := bytes.Cut(b, []byte(","))
	if env.Seq, err = strconv.ParseInt(string(number), 10, 64); err != nil || number[0] == '+' || number[0] == '0' {
		return env, false
	}
	at, b, ok := plainMember(b, `"time":`)
	if !ok || env.Time.UnmarshalText([]byte(at)) != nil {
		return env, false
	}
	if path, rest, ok := plainMember(b, `"path":`); ok {
		env.Path, b = path, rest
	}
	if rest, ok := bytes.CutPrefix(b, []byte(`"turn":`)); ok {
		number, rest, _ = bytes.Cut(rest, []byte(","))
		if env.Turn, err = strconv.Atoi(string(number)); err != nil || number[0] == '+' || number[0] == '0' {
			return env, false
		}
		b = rest
	}
	if env.Type, b, ok = plainMember(b, `"type":`); !ok {
		return env, false
	}
	if b, ok = bytes.CutPrefix(b, []byte(`"data":`)); !ok || !bytes.HasPrefix(b, []byte("{")) ||
		!bytes.HasSuffix(b, []byte("}}")) {
		return env, false
	}
	env.Data = b[:len(b)-1]
	return env, true
}

// plainMember removes a member with a plain string, and the comma after it, from the start of an object. ok is
// false if the string would need decoding.
func plainMember(b []byte, name string) (value string, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(name+`"`))
	if !ok {
		return "", b, false
	}
	end := bytes.IndexByte(b, '"')
	if end < 0 || !bytes.HasPrefix(b[end+1:], []byte(",")) {
		return "", b, false
	}
	for _, c := range b[:end] {
		if c < ' ' || c > '~' || c == '\\' {
			return "", b, false
		}
	}
	return string(b[:end]), b[end+2:], true
}

func decodeData(typ string, raw json.RawMessage) (Data, map[string]json.RawMessage, error) {
	if proto, ok := prototypes[typ]; ok {
		return decodeAs(proto, raw)
	}
	if len(raw) > 0 && !json.Valid(raw) {
		return nil, nil, errors.New("its data is not JSON")
	}
	return Unknown{Type: typ, Raw: slices.Clone(raw)}, nil, nil
}

// decodeAs decodes into a new value of proto's type.
func decodeAs(proto Data, raw json.RawMessage) (Data, map[string]json.RawMessage, error) {
	v := reflect.New(reflect.TypeOf(proto))
	if len(raw) == 0 {
		return proto, nil, nil
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	err := strict.Decode(v.Interface())
	if err == nil && len(bytes.TrimSpace(raw[strict.InputOffset():])) > 0 {
		return nil, nil, errors.New("there is something after its data")
	}
	if err == nil {
		return v.Elem().Interface().(Data), nil, nil
	}
	// Either a later version's field or a real error: decode again, allowing unknown fields, and keep them.
	v = reflect.New(reflect.TypeOf(proto))
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return nil, nil, err
	}
	return v.Elem().Interface().(Data), unknownFields(v.Elem().Type(), raw), nil
}

// unknownFields returns the members of the object raw that are not fields of t.
func unknownFields(t reflect.Type, raw json.RawMessage) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		// encoding/json ignores case in names.
		maps.DeleteFunc(all, func(k string, _ json.RawMessage) bool { return strings.EqualFold(k, name) })
	}
	return all
}

// textFields caches the indices of the Text fields of each payload type: every event is scanned several times.
var textFields = sync.OnceValue(func() map[reflect.Type][]int {
	all := make(map[reflect.Type][]int, len(prototypes))
	for _, d := range prototypes {
		t := reflect.TypeOf(d)
		all[t] = textsOf(t)
	}
	return all
})

// textsOf returns the indices of the Text fields of a type.
func textsOf(t reflect.Type) (places []int) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Type == reflect.TypeFor[Text]() && f.IsExported() {
			places = append(places, i)
		}
	}
	return places
}

// mapTexts returns d with each Text replaced by what f returns for it, or d itself if none changes.
func mapTexts(d Data, f func(Text) (Text, error)) (Data, error) {
	if d == nil {
		return nil, nil
	}
	places, known := textFields()[reflect.TypeOf(d)]
	if !known {
		places = textsOf(reflect.TypeOf(d))
	}
	from, to := reflect.ValueOf(d), reflect.Value{}
	for _, i := range places {
		was := from.Field(i).Interface().(Text)
		is, err := f(was)
		if err != nil {
			return nil, err
		}
		if is == was {
			continue
		}
		if !to.IsValid() {
			to = reflect.New(from.Type()).Elem()
			to.Set(from)
		}
		to.Field(i).Set(reflect.ValueOf(is))
	}
	if !to.IsValid() {
		return d, nil
	}
	return to.Interface().(Data), nil
}

// valueOf returns d as a value: payloads are passed and stored as values, never as pointers through which others
// could change them.
func valueOf(d Data) (Data, error) {
	v := reflect.ValueOf(d)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, fmt.Errorf("append to the log: a nil %T", d)
		}
		return v.Elem().Interface().(Data), nil
	}
	if d == nil {
		return nil, fmt.Errorf("append to the log: an event without data")
	}
	return d, nil
}
