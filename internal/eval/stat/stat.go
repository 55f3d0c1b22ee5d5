// Package stat computes how certain a mean is: intervals for scores, shares and paired differences.
package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Level is how often an interval should cover the truth.
const Level = 0.95

// z is the quantile of the normal distribution for Level on both sides.
const z = 1.959963984540054

// Resamples is the number of resamples in a bootstrap.
const Resamples = 2000

// Interval is an estimate with its bounds. All are NaN if there are no data.
type Interval struct {
	Mean, Low, High float64
}

// Share is Wilson's interval for k of n. Unlike the usual formula it is valid near 0 and 1, where evaluations
// often are.
//
// Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
func Share(k, n int) Interval {
	if n == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{p, max(0, middle-half), min(1, middle+half)}
}

// alike is the largest difference of values that count as equal: reports show three digits.
const alike = 5e-4

// same reports whether all values are alike. Then they do not show how much others would differ.
func same(values []float64) bool {
	return len(values) > 1 && slices.Max(values)-slices.Min(values) < alike
}

// unseen is the largest plausible share of something that occurs in none of n items.
func unseen(n int) float64 { return Share(0, n).High }

// Mean is the interval for the mean of scores from 0 to 1, one for each item: Wilson's if they are all 0 or 1,
// otherwise a bootstrap's. If all scores are alike, the bounds allow for the largest share of 0s or 1s that may go
// unseen in that many items.
func Mean(scores []float64, seed uint64) Interval { return mean(scores, seed, Resamples) }

func mean(scores []float64, seed uint64, resamples int) Interval {
	if same(scores) {
		m, others := average(scores), unseen(len(scores))
		return Interval{m, m - m*others, m + (1-m)*others}
	}
	right := 0
	for _, s := range scores {
		if s > alike && s < 1-alike {
			i := bootstrap(scores, seed, resamples)
			return Interval{i.Mean, max(0, i.Low), min(1, i.High)}
		}
		right += int(math.Round(s))
	}
	i := Share(right, len(scores))
	i.Mean = average(scores)
	return i
}

// Difference is the interval for the mean of a minus b over the same items, by Student's distribution: differences
// of scores have few distinct values, for which percentiles of a bootstrap are too wide. a and b differ by more
// than noise if the interval does not contain 0. If all differences are alike, the bounds allow for unseen ones
// like those of Mean.
func Difference(a, b []float64) Interval {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	n := float64(len(d))
	mean, squares := average(d), 0.0
	for _, v := range d {
		squares += (v - mean) * (v - mean)
	}
	half := 0.0
	switch {
	case len(d) == 0:
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	case squares == 0, same(d):
		half = unseen(len(d)) * (1 + math.Abs(mean))
	default:
		half = student(len(d)-1) * math.Sqrt(squares/(n-1)/n)
	}
	return Interval{mean, max(-1, mean-half), min(1, mean+half)}
}

// bootstrap resamples the items with replacement and takes the bounds between which most of the means lie. Because
// plain percentiles cover too rarely with few items, the bounds are widened: as Student's distribution is wider
// than the normal one, and by the bias of a sample variance.
//
// Source: T. C. Hesterberg, What teachers should know about the bootstrap, The American Statistician 69 (2015),
// section 5.3: the expanded percentile interval.
func bootstrap(values []float64, seed uint64, resamples int) Interval {
	n := len(values)
	middle := average(values)
	if n < 2 {
		return Interval{middle, math.Inf(-1), math.Inf(1)}
	}
	r := rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range n {
			sum += values[r.IntN(n)]
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	outside := normal(-math.Sqrt(float64(n)/float64(n-1)) * student(n-1))
	return Interval{middle, quantile(means, outside), quantile(means, 1-outside)}
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile returns the quantile q of sorted values, interpolated between two of them.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// normal is the distribution function of the normal distribution.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// student is the quantile of Student's distribution at (1+Level)/2, by the expansion of Cornish and Fisher, which
// is right to three digits from five degrees of freedom on.
func student(degrees int) float64 {
	v := float64(degrees)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v) +
		(3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*v*v*v)
}
