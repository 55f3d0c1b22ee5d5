package score

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScoresEqualTheOriginals checks each scorer named after a benchmark: it scores at least 500 answers as the
// benchmark's own program did (testdata/originals/README.md).
func TestScoresEqualTheOriginals(t *testing.T) {
	for name, r := range rules() {
		if r.about == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", "originals", name+".jsonl"))
			require.NoError(t, err)
			defer f.Close() // read only
			n := 0
			for lines := bufio.NewScanner(f); lines.Scan(); n++ {
				var c struct {
					Gold  json.RawMessage
					Said  string
					Score float64
				}
				require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
				score, err := New(name, c.Gold)
				require.NoError(t, err, "%s", c.Gold)
				got := score(c.Said)
				assert.InDelta(t, c.Score, got.Value, 5.1e-5, "%q for %s, read as %q", c.Said, c.Gold, got.Read)
			}
			require.GreaterOrEqual(t, n, 500, "answers")
		})
	}
}
