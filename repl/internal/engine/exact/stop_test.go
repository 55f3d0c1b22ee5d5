package exact

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

func TestCoroutinesDrawFromTheStreamOfTheirGoroutine(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	nb.Conditions.Seed = 9
	_, err := nb.Run(1, `var wg sync.WaitGroup
got := [2][3]int{}
for g := range got { wg.Go(func() {
	next, stop := iter.Pull(func(yield func(int) bool) { for yield(rand.Intn(1_000_000)) { } })
	defer stop()
	for i := range got[g] { got[g][i], _ = next() }
}) }
wg.Wait()
fmt.Println(got)`)
	require.NoError(t, err)
	var want [2][3]int
	main := decide.NewStream(9)
	for g := range want {
		drawn := rand.New(main.Fork())
		for i := range want[g] {
			want[g][i] = drawn.Intn(1_000_000)
		}
	}
	require.Equal(t, fmt.Sprintln(want), nb.Out.Take())
}

func TestACoroutineThatABuiltinEndsEndsItsCell(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	out, err := nb.Run(1, `next, _ := iter.Pull(func(yield func(int) bool) { defer func() { recover() }(); stop("here"); yield(1) })
next()
fmt.Println("on")`)
	require.NoError(t, err)
	require.Nil(t, out.Panic)
	require.Empty(t, nb.Out.Take())
}

// BenchmarkCalling measures operations that look up the calling goroutine: 100 000 each.
func BenchmarkCalling(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"Lock", "var mu sync.Mutex\nfor range 100_000 { mu.Lock(); mu.Unlock() }"},
		{"LockHeld", "var mu sync.Mutex\nvar wg sync.WaitGroup\nfor range 4 { wg.Go(func() { for range 25_000 { mu.Lock(); mu.Unlock() } }) }\nwg.Wait()"},
		{"Intn", "s := 0\nfor range 100_000 { s += rand.Intn(10) }"},
		{"Print", "for i := range 100_000 { fmt.Println(i) }"},
		{"Go", "var wg sync.WaitGroup\nfor range 100_000 { wg.Add(1); go func() { defer wg.Done() }() }\nwg.Wait()"},
		{"Stale", "for range 100_000 { stale() }"},
		{"Callback", "for range 100_000 { func() { defer func() { recover() }(); sort.Slice([]int{1, 2}, func(i, j int) bool { panic(1) }) }() }"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				nb := enginetest.NewNotebook(b, newEngine)
				out, err := nb.Run(1, c.source)
				require.NoError(b, err)
				require.Nil(b, out.Panic)
			}
		})
	}
}
