package enginetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// conditions tests that the clock and the random numbers of a cell are those of its conditions.
func conditions(t *testing.T, make Maker) {
	under := func(seed int64, source string) string {
		nb := NewNotebook(t, make)
		nb.Conditions = engine.Conditions{Seed: seed, Now: func() time.Time { return time.Unix(100, 0) }}
		return nb.ok(t, 1, source)
	}
	for name, source := range map[string]string{
		"math/rand":         "fmt.Println(rand.Intn(1e9), rand.Perm(5), rand.Float64())",
		"math/rand/v2":      "import \"math/rand/v2\"\nfmt.Println(rand.IntN(1e9), rand.Int64N(10), rand.Perm(5))",
		"shuffle":           "xs := []int{1, 2, 3, 4, 5, 6, 7, 8}\nrand.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })\nfmt.Println(xs)",
		"a function value":  "f := rand.Int63\nfmt.Println(f(), f())",
		"maps are in order": "m := map[int]int{}\nfor i := range 30 { m[i] = i }\nfor k := range m { fmt.Print(k, \" \") }",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, under(3, source), under(3, source))
			require.NotEqual(t, under(3, source), under(4, source))
		})
	}
	require.Equal(t, "100 1m40s -1m40s\n",
		under(1, "fmt.Println(time.Now().Unix(), time.Since(time.Unix(0, 0)), time.Until(time.Unix(0, 0)))"))
	require.Equal(t, "true", strings.TrimSpace(
		under(1, "now := time.Now\nfmt.Println(now().Equal(time.Unix(100, 0)))")))

	nb := NewNotebook(t, make)
	nb.Conditions.Now = func() time.Time { return time.Unix(1, 0) }
	require.Equal(t, "1\n", nb.ok(t, 1, "func clock() int64 { return time.Now().Unix() }\nfmt.Println(clock())"))
	nb.Conditions.Now = func() time.Time { return time.Unix(2, 0) }
	require.Equal(t, "2\n", nb.ok(t, 2, "fmt.Println(clock())"),
		"the conditions are those of the run, not of the function")
}
