package stat

import (
	"math"
	"math/rand/v2"
	"testing"
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
		if math.Abs(got.Low-c.low) > 1e-4 || math.Abs(got.High-c.high) > 1e-4 {
			t.Errorf("%d of %d: %v to %v, not %v to %v", c.k, c.n, got.Low, got.High, c.low, c.high)
		}
	}
}

func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{5: 2.5706, 10: 2.2281, 49: 2.0096, 1000: 1.9623} {
		if got := student(degrees); math.Abs(got-want) > 4e-3 {
			t.Errorf("%d degrees of freedom: %v, not %v", degrees, got, want)
		}
	}
}

// TestIntervalsCoverTheTruth evaluates a model of known skill a thousand times for each skill and number of items.
func TestIntervalsCoverTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := map[string]func(p float64) float64{
		"right or wrong": func(p float64) float64 {
			if r.Float64() < p {
				return 1
			}
			return 0
		},
		"partly right": func(p float64) float64 { // a count that is off by d gets 0.75^d
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
					return Mean(scores, seed)
				})
				if share < 0.93 || share > 0.97 {
					t.Errorf("%s, p %v, %d items: the truth is inside in %.1f%% of the intervals", name, p, n, 100*share)
				}
			}
		}
	}
}

// TestDifferencesCoverTheTruth compares two models on the same items, which are hard or easy for both.
func TestDifferencesCoverTheTruth(t *testing.T) {
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
			if share < 0.93 || share > 0.97 {
				t.Errorf("a gain of %v, %d items: the truth is inside in %.1f%% of the intervals", gain, n, 100*share)
			}
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
	if i := Mean(nil, 1); !math.IsNaN(i.Mean) {
		t.Errorf("no scores have the mean %v", i.Mean)
	}
	if i := Difference([]float64{1, 1}, []float64{1, 1}); i.Low >= 0 || i.High <= 0 {
		t.Errorf("two equal pairs prove a difference of 0: %v to %v", i.Low, i.High)
	}
}
