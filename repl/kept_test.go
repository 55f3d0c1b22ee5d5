package repl

import (
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// A cell's effects, written as Go, have the same effect in another notebook; variables that cannot be written
// are listed.
func TestWhatACellLeftWrittenAsGo(t *testing.T) {
	t.Parallel()
	var written, unwritten atomic.Int64
	t.Run("samples", func(t *testing.T) {
		for i, sample := range slices.Concat(slices.Collect(maps.Values(enginetest.Samples(t)))...) {
			if i%4 != 0 && os.Getenv("RLM_LONG") == "" {
				continue
			}
			t.Run(sample.Name, func(t *testing.T) {
				t.Parallel()
				for _, engine := range []Engine{Yaegi, Exact} {
					s, again := corpusSession(t, engine), corpusSession(t, engine)
					ran, _ := s.run(sample.Source)
					if ran.Error != nil || !s.nb.Sound() {
						continue
					}
					kept := s.nb.Kept(ran.Cell, ran.Changed)
					res, _ := again.run(kept.Source)
					require.Nil(t, res.Error, kept.Source)
					for _, v := range ran.Changed {
						if slices.Contains(kept.Unwritten, v.Name) {
							unwritten.Add(1)
							continue
						}
						i := slices.IndexFunc(res.Changed, func(now Var) bool { return now.Name == v.Name })
						require.GreaterOrEqual(t, i, 0, v.Name)
						require.Equal(t, v.Digest, res.Changed[i].Digest, "%s\n%s", v.Name, kept.Source)
						require.Equal(t, v.Preview, res.Changed[i].Preview, v.Name)
						written.Add(1)
					}
				}
			})
		}
	})
	t.Logf("%d variables written, %d not", written.Load(), unwritten.Load())
	require.Greater(t, written.Load(), unwritten.Load())
}
