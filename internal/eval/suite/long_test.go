package suite

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/tokens"
)

// TestNamesDoNotRunOut: a context can be longer than there are names.
func TestNamesDoNotRunOut(t *testing.T) {
	seen := map[string]bool{}
	n := 0
	for range 500 {
		fresh(seen, "-", func() string { n++; return fmt.Sprint(n % 30) })
	}
	if len(seen) != 500 {
		t.Errorf("%d different names", len(seen))
	}
	// The needles of this kind are all of one sort: at this length more than there are.
	item := niah().Item(1, 1_200_000, 4)
	if n := tokens.Count(text(item)); n < 1_000_000 {
		t.Errorf("%s has %d tokens", item.Kind, n)
	}
}

// TestItemsOfFourMillionTokens makes one of each suite, and of the kind that needs the most names, with RLM_LONG=1.
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
			if n := tokens.Count(text(item)); n < 3_400_000 || n > 4_600_000 {
				t.Errorf("%s (%s) has %d tokens", s.Name, k.name, n)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			t.Logf("%s (%s): %v, heap %d MB", s.Name, k.name, time.Since(began).Round(time.Millisecond), mem.HeapSys>>20)
		}
	}
}
