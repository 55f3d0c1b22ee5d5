package suite

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/kit/text"
)

// TestNamesDoNotRunOut makes contexts that need more names than the lists contain.
func TestNamesDoNotRunOut(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	n := 0
	for range 500 {
		fresh(seen, "-", func() string { n++; return fmt.Sprint(n % 30) })
	}
	assert.Equal(t, 500, len(seen), "different names")
	// All needles of an item of this kind are of one sort; at this length they need more names than the list has.
	item := niah().Item(1, 1_200_000, 4)
	assert.GreaterOrEqual(t, text.CountTokens(textOf(item)), 1_000_000, "the tokens of %s", item.Kind)
}

// TestItemsOfFourMillionTokens makes one item of each suite, and one of the kind that needs the most names. It
// needs RLM_LONG=1.
func TestItemsOfFourMillionTokens(t *testing.T) {
	if !long(t) {
		t.Skip("SKIP TestItemsOfFourMillionTokens: set RLM_LONG=1")
	}
	for _, s := range All() {
		for i, k := range s.kinds {
			if i > 0 && k.name != "among needles" {
				continue
			}
			began := time.Now()
			item := s.Item(1, 4_000_000, i)
			assert.InDelta(t, 4_000_000, text.CountTokens(textOf(item)), 600_000, "the tokens of %s (%s)", s.Name,
				k.name)
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			t.Logf("%s (%s): %v, heap %d MB", s.Name, k.name, time.Since(began).Round(time.Millisecond),
				mem.HeapSys>>20)
		}
	}
}
