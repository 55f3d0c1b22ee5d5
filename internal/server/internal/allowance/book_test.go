package allowance

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestADaysBudget: what runs have cost counts while they go on, after they ended and after the server was killed, until the day is over.
func TestADaysBudget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spent")
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	open := func() *Book {
		b, err := Open(file, func() time.Time { return at })
		require.NoError(t, err)
		return b
	}
	b := open()
	limits := Limits{CostPerDay: 5}
	g, err := b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 5.0, g.Left())
	require.True(t, g.Spent(2))
	other, err := b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 3.0, other.Left())
	g.End(2.5)
	g.End(2.5)
	require.Equal(t, 2.5, other.Left())
	require.False(t, other.Spent(2.5), "together they have spent it")

	b = open() // as after a kill
	var exceeded *ExceededError
	_, err = b.Begin("ann", limits)
	require.ErrorAs(t, err, &exceeded)
	require.True(t, exceeded.Day)
	require.Equal(t, 2*time.Hour, exceeded.After)
	_, err = b.Begin("bob", limits)
	require.NoError(t, err, "each has a budget of his own")
	at = at.Add(2 * time.Hour)
	g, err = b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 5.0, g.Left())
}

func TestRunsAtOnce(t *testing.T) {
	b, err := Open(filepath.Join(t.TempDir(), "spent"), time.Now)
	require.NoError(t, err)
	g, err := b.Begin("ann", Limits{Runs: 1})
	require.NoError(t, err)
	require.Negative(t, g.Left())
	require.True(t, g.Spent(1e6))
	var exceeded *ExceededError
	_, err = b.Begin("ann", Limits{Runs: 1})
	require.ErrorAs(t, err, &exceeded)
	require.False(t, exceeded.Day)
	g.End(0)
	_, err = b.Begin("ann", Limits{Runs: 1})
	require.NoError(t, err)
}
