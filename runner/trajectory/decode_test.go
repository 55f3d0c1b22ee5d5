package trajectory_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Reading large logs would take twice as long if the envelope and the data were parsed one after the other.
func TestALineIsParsedOnceInTheFormItIsWrittenIn(t *testing.T) {
	const at = `{"seq":12,"time":"2030-01-01T00:00:00Z",`
	for _, line := range []string{
		at + `"type":"warned","data":{"text":"x"}}`,
		at + `"path":"1.2/3","type":"warned","data":{"text":"x"}}`,
		at + `"path":"","type":"warned","data":{"text":"x"}}`,
		at + `"path":"~ a","turn":10,"type":"warned","data":{"text":"x"}}`,
		at + `"turn":-1,"type":"warned","data":{"text":"x"}}`,
	} {
		var e, other trajectory.Event
		allocs := func(line string, e *trajectory.Event) float64 {
			return testing.AllocsPerRun(20, func() {
				if err := e.UnmarshalJSON([]byte(line)); err != nil {
					panic(err)
				}
			})
		}
		once, twice := allocs(line, &e), allocs(strings.Replace(line, "{", "{ ", 1), &other)
		require.Less(t, once, twice, line)
		require.Equal(t, other, e)
		require.Equal(t, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), e.Time)
	}
}

// A line in a form that only looks like the one that is written is read as any JSON is.
func TestALineIsReadAsJSON(t *testing.T) {
	const at, data = `{"seq":1,"time":"2030-01-01T00:00:00Z",`, `"type":"warned","data":{"text":"x"}}`
	for _, line := range []string{
		strings.Replace(at, "1", "+1", 1) + data, strings.Replace(at, "1", "01", 1) + data,
		strings.Replace(at, "1", "", 1) + data, strings.Replace(at, "1", "1e0", 1) + data,
		at + `"turn":+1,` + data, at + `"turn":01,` + data, at + `"turn":0,` + data, at + `"turn":,` + data,
		at + `"path":"a` + "\x1f" + `",` + data, at + `"path":"a\u0041",` + data,
		at + `"path":"ü` + "\xff" + `",` + data,
		at + `"path":"a` + "\x7f" + `",` + data, at + `"path":"a" ,` + data, at + `"path":"a`, at + `"path":"a"`,
		at + `"type":"warned"}`, at + `"type":"warned","data":null}`, at + `"type":"warned","data":[]}`,
		at + `"type":"warned","data":{"text":"x"} }`, at + `"type":"warned","data":{"text":"x"},"data":{"text":"y"}}`,
		at + `"type":"warned","data":{"text":"x"}{}}`, at + `"type":"later","data":{"text":"x"}{}}`,
		at + `"type":"later","data":{}`, at + `"type":"warned","data":{"text":1}}`,
		strings.Replace(at, "2030", "+", 1) + data, strings.Replace(at, "time", "when", 1) + data,
	} {
		type plain struct {
			Seq  int64
			Time time.Time
			Path string
			Turn int
			Type string
			Data trajectory.Warned
		}
		var want plain
		err := json.Unmarshal([]byte(line), &want)
		var got trajectory.Event
		if err != nil {
			require.Error(t, got.UnmarshalJSON([]byte(line)), line)
			continue
		}
		require.NoError(t, got.UnmarshalJSON([]byte(line)), line)
		data, _ := got.Data.(trajectory.Warned)
		require.Equal(t, want, plain{got.Seq, got.Time, got.Path, got.Turn, got.Data.EventType(), data}, line)
	}
}
