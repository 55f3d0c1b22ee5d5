package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The values are those of R's binom::binom.wilson.
func TestShareIsWilsons(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.2775328},
		{5, 10, 0.2365931, 0.7634069},
		{9, 10, 0.5958500, 0.9821238},
		{81, 263, 0.2552714, 0.3662146},
	} {
		got := Share(c.k, c.n)
		assert.InDeltaSlice(t, []float64{c.low, c.high}, []float64{got.Low, got.High}, 1e-4, "%d of %d", c.k, c.n)
	}
}

func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{5: 2.5706, 10: 2.2281, 49: 2.0096, 1000: 1.9623} {
		assert.InDelta(t, want, student(degrees), 4e-3, "%d degrees of freedom", degrees)
	}
}

// TestIntervalsCoverTheTruth checks the share of intervals that contain the true score, for models of known skill.
func TestIntervalsCoverTheTruth(t *testing.T) {
	t.Parallel()
	resamples := Resamples / 5
	if os.Getenv("RLM_LONG") != "" {
		resamples = Resamples
	}
	r := rand.New(rand.NewPCG(1, 2))
	draw := map[string]func(p float64) float64{
		"right or wrong": func(p float64) float64 {
			if r.Float64() < p {
				return 1
			}
			return 0
		},
		"partly right": func(p float64) float64 { // a count that is off by d scores 0.75^d
			if r.Float64() < p {
				return 1
			}
			return math.Pow(0.75, float64(1+r.IntN(6)))
		},
	}
	off := 0.0
	for d := 1; d <= 6; d++ {
		off += math.Pow(0.75, float64(d)) / 6
	}
	for name, one := range draw {
		for _, p := range []float64{0.2, 0.4, 0.6, 0.8} {
			for _, n := range []int{50, 100} {
				truth := p
				if name == "partly right" {
					truth = p + (1-p)*off
				}
				share := covered(t, truth, func(seed uint64) Interval {
					scores := make([]float64, n)
					for i := range scores {
						scores[i] = one(p)
					}
					return mean(scores, seed, resamples)
				})
				assert.GreaterOrEqual(t, share, 0.93,
					"%s, p %v, %d items: the share of the intervals with the truth inside", name, p, n)
				assert.LessOrEqual(t, share, 0.97,
					"%s, p %v, %d items: the share of the intervals with the truth inside", name, p, n)
			}
		}
	}
}

// TestDifferencesCoverTheTruth checks the same for the difference between two models on the same items, each of
// which is hard or easy for both.
func TestDifferencesCoverTheTruth(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{50, 200} {
		for _, gain := range []float64{0, 0.1, 0.3} {
			share := covered(t, gain, func(uint64) Interval {
				a, b := make([]float64, n), make([]float64, n)
				for i := range a {
					p := 0.1 + 0.5*r.Float64()
					if r.Float64() < p {
						b[i] = 1
					}
					if r.Float64() < p+gain {
						a[i] = 1
					}
				}
				return Difference(a, b)
			})
			assert.GreaterOrEqual(t, share, 0.93,
				"a gain of %v, %d items: the share of the intervals with the truth inside", gain, n)
			assert.LessOrEqual(t, share, 0.97,
				"a gain of %v, %d items: the share of the intervals with the truth inside", gain, n)
		}
	}
}

func covered(t *testing.T, truth float64, make func(seed uint64) Interval) float64 {
	t.Helper()
	inside := 0
	const rounds = 1000
	for seed := range uint64(rounds) {
		if i := make(seed); i.Low <= truth && truth <= i.High {
			inside++
		}
	}
	return float64(inside) / rounds
}

func TestNothingToEstimateFrom(t *testing.T) {
	none := Mean(nil, 1)
	assert.True(t, math.IsNaN(none.Mean), "no scores have the mean %v", none.Mean)
	i := Difference([]float64{1, 1}, []float64{1, 1})
	assert.Negative(t, i.Low, "two equal pairs prove a difference of 0: %+v", i)
	assert.Positive(t, i.High, "two equal pairs prove a difference of 0: %+v", i)
}

// TestAPlantedDifferenceIsFound makes 15 of 100 items better and 5 worse, and adds noise to the scores of the rest.
// Without a planted difference, one is rarely found.
func TestAPlantedDifferenceIsFound(t *testing.T) {
	found := func(better, worse int) (n int) {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 1))
			noise := func() float64 { return 0.05 * (r.Float64() - 0.5) }
			a, b := make([]float64, 100), make([]float64, 100)
			for i := range a {
				a[i], b[i] = 0.5+noise(), 0.5+noise()
				switch {
				case i < better+worse && better == worse && r.IntN(2) == 0, i < better && better != worse:
					a[i], b[i] = 1, 0
				case i < better+worse:
					a[i], b[i] = 0, 1
				}
			}
			if d := Difference(a, b); d.Low > 0 || d.High < 0 {
				n++
			}
		}
		return n
	}
	require.GreaterOrEqual(t, found(15, 5), 19)
	require.LessOrEqual(t, found(10, 10), 2)
	require.LessOrEqual(t, found(0, 0), 2)
}

// TestScoresThatAreAllAlike checks that the interval allows for scores that were not observed.
func TestScoresThatAreAllAlike(t *testing.T) {
	all := slices.Repeat([]float64{1}, 20)
	i := Mean(all, 1)
	require.Equal(t, 1.0, i.Mean)
	require.InDelta(t, 1-Share(0, 20).High, i.Low, 1e-9)
	require.Equal(t, 1.0, i.High)
	d := Difference(all, all)
	require.Zero(t, d.Mean)
	require.InDelta(t, Share(0, 20).High, d.High, 1e-9)
	require.InDelta(t, -Share(0, 20).High, d.Low, 1e-9)
	half := Mean(slices.Repeat([]float64{0.5}, 20), 1)
	require.Less(t, half.Low, 0.5)
	require.Greater(t, half.High, 0.5)
}
