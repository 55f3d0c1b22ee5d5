package grid_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

type filled struct {
	row, col   int
	text, unit string
}

func write(t *testing.T, cells ...filled) string {
	t.Helper()
	var b strings.Builder
	w := grid.New(&b, func(sofar grid.Range) (grid.Range, error) { return sofar, nil })
	for _, c := range cells {
		require.NoError(t, w.Amount(c.row, c.col, c.text, c.unit))
	}
	require.NoError(t, w.Close())
	return b.String()
}

// TestAmountsHaveTheirUnitOnce: the unit of a column is in the range line; only an amount with another unit has its
// own.
func TestAmountsHaveTheirUnitOnce(t *testing.T) {
	require.Equal(t, "A1:C3 (B in $; C in €)\nx,,\ny,1.50,2\nz,3 CHF,4\n",
		write(t, filled{1, 1, "x", ""}, filled{2, 1, "y", ""}, filled{2, 2, "1.50", "$"},
			filled{2, 3, "2", "€"}, filled{3, 1, "z", ""}, filled{3, 2, "3", "CHF"}, filled{3, 3, "4", "€"}))
	large := []filled{}
	for row := 1; row <= 50_000; row++ {
		large = append(large, filled{row, 1, strings.Repeat("x", 100), ""})
	}
	got := write(t, append(large, filled{50_000, 2, "7", "$"})...)
	require.True(t, strings.HasSuffix(got, "x,7 $\n"), "the line is written by then: %q", got[len(got)-20:])
}

// TestCellsInAnyOrder: no cell is lost, and each is in its position.
func TestCellsInAnyOrder(t *testing.T) {
	require.Equal(t, "A1:B3\n11,12\n,\n31,32\n",
		write(t, filled{3, 2, "32", ""}, filled{3, 1, "31", ""}, filled{1, 1, "11", ""}, filled{2, 1, "", ""},
			filled{1, 2, "12", ""}))
	require.Equal(t, "A1:B3\n11,12\n,\n31,\n",
		write(t, filled{1, 1, "11", ""}, filled{3, 1, "31", ""}, filled{1, 2, "12", ""}))
}

// TestACellFarAway: a wide gap between cells is not filled with commas.
func TestACellFarAway(t *testing.T) {
	require.Equal(t, "A1:XFD9\n1\n\nXFD9:XFD9\n2\n", write(t, filled{1, 1, "1", ""}, filled{9, 16384, "2", ""}))
	require.Equal(t, "A1:XFD2\n1\n\nXFD1:XFD1\n2\n\nA2:XFD2\n3\n\nXFD2:XFD2\n4\n",
		write(t, filled{1, 1, "1", ""}, filled{1, 16384, "2", ""}, filled{2, 1, "3", ""}, filled{2, 16384, "4", ""}))
}
