package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// resultFilter reports whether a result stays in a file. It fails for a result of another batch.
type resultFilter func(id, run, state string) (bool, error)

// read reads the results in a file and returns those that stay.
func (o *Output) read(data []byte, keep resultFilter) ([]byte, error) {
	if o.format == CSV {
		return o.readCSV(data, keep)
	}
	var kept bytes.Buffer
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if data = rest; !whole {
			break // the line was truncated
		}
		var l Line
		if err := json.Unmarshal(line, &l); err != nil || l.ID == "" || l.Status == "" {
			return nil, fmt.Errorf("line %d is not a result", n)
		}
		stays, err := keep(l.ID, l.Run, string(l.Status))
		if err != nil {
			return nil, err
		}
		if _, twice := o.written[l.ID]; !twice && stays {
			o.written[l.ID] = l.Run
			kept.Write(line)
			kept.WriteByte('\n')
		}
	}
	return kept.Bytes(), nil
}
