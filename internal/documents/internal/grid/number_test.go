package grid_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// TestNumbersHaveFifteenDigits: a number below 1e15 is written with at most 15 digits, to which it is rounded.
func TestNumbersHaveFifteenDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 0.1 + 0.2: "0.3", 1.0 / 3: "0.333333333333333", -2.5: "-2.5",
		1e14:            "100000000000000",
		123456789012345: "123456789012345", 1234567890123456: "1234567890123456", 1e20: "100000000000000000000",
		1e21: "1E+21", 1e-20: "1E-20", 1e-5: "0.00001",
	} {
		require.Equal(t, want, grid.Number(v))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		v := (r.Float64() - 0.5) * math.Pow10(r.IntN(28)-12)
		if r.IntN(2) == 0 {
			v = math.Round(v*1000) / 1000
		}
		have := grid.Number(v)
		parsed, err := strconv.ParseFloat(have, 64)
		require.NoError(t, err)
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
		require.NoError(t, err)
		if math.Abs(v) >= 1e15 {
			rounded = v
		}
		require.Equal(t, rounded, parsed, have)
		require.False(t, strings.HasSuffix(have, ".0") || strings.HasPrefix(have, "."), have)
	}
}
