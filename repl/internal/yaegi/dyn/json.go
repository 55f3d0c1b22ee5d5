package dyn

import (
	"encoding/json"
)

// JSONMarshal is json.Marshal.
func (r *Runtime) JSONMarshal(v any) ([]byte, error) { return json.Marshal(v) }

// JSONMarshalIndent is json.MarshalIndent.
func (r *Runtime) JSONMarshalIndent(v any, prefix, indent string) ([]byte, error) {
	return json.MarshalIndent(v, prefix, indent)
}

// JSONUnmarshal is json.Unmarshal.
func (r *Runtime) JSONUnmarshal(data []byte, v any) error {
	p, _ := unbox(v)
	return json.Unmarshal(data, p)
}

// JSONEncode is Encode of a json.Encoder.
func (r *Runtime) JSONEncode(e *json.Encoder, v any) error { return e.Encode(v) }

// JSONDecode is Decode of a json.Decoder.
func (r *Runtime) JSONDecode(d *json.Decoder, v any) error {
	p, _ := unbox(v)
	return d.Decode(p)
}

// MarshalJSON encodes the value inside.
func (b Box) MarshalJSON() ([]byte, error) { return json.Marshal(b.V) }
