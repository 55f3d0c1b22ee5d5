// Package demo holds what the examples and the demonstration share: reproducible random numbers, and recorded
// replies.
package demo

// Dice produces the same numbers from the same seed with every release of Go, so that a corpus made from a seed
// never changes (SplitMix64; Steele, Lea and Flood, 2014).
type Dice struct{ state uint64 }

// NewDice returns dice for a seed.
func NewDice(seed uint64) *Dice { return &Dice{state: seed} }

func (d *Dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// N returns a number from 0 up to n, n excluded.
func (d *Dice) N(n int) int { return int(d.next() % uint64(n)) }

// Between returns a number from low to high, both included.
func (d *Dice) Between(low, high int) int { return low + d.N(high-low+1) }

// Chance returns true with a probability of percent in a hundred.
func (d *Dice) Chance(percent int) bool { return d.N(100) < percent }

// Pick returns a random element.
func Pick[T any](d *Dice, all []T) T { return all[d.N(len(all))] }

// Shuffle shuffles all.
func Shuffle[T any](d *Dice, all []T) {
	for i := len(all) - 1; i > 0; i-- {
		j := d.N(i + 1)
		all[i], all[j] = all[j], all[i]
	}
}
