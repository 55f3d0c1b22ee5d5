package typed

import (
	"bytes"
	"encoding/json"
)

// member and object are JSON objects that keep their order: models follow a schema better when its
// properties come as the struct lists them.
type member struct {
	name  string
	value any
}

type object []member

func without(o object, name string) object {
	out := make(object, 0, len(o)+1)
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return out
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			buf.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		buf.Write(name)
		buf.WriteByte(':')
		buf.Write(value)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}
