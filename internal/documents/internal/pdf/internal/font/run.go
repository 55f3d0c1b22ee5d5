package font

import (
	"cmp"
	"slices"
)

// run maps consecutive codes to consecutive numbers, after a common text prefix.
type run struct {
	low, high, to uint32
	prefix        string
}

// runs are sorted by code and without overlaps once settled.
type runs []run

// settled sorts runs. Where runs overlap, the later one wins.
func (r runs) settled() runs {
	byCode := slices.Clone(r)
	slices.SortFunc(byCode, func(a, b run) int { return cmp.Compare(a.low, b.low) })
	overlap := false
	for i := 1; i < len(byCode); i++ {
		overlap = overlap || byCode[i].low <= byCode[i-1].high
	}
	if !overlap {
		return byCode
	}
	each, left := map[uint32]run{}, uint32(maxMappings)
	for _, some := range slices.Backward(r) {
		n := min(some.high-some.low, left-1) + 1
		for i := range n {
			if c := some.low + i; each[c].high == 0 {
				each[c] = run{c, c, some.to + i, some.prefix}
			}
		}
		if left -= n; left == 0 {
			break
		}
	}
	byCode = byCode[:0]
	for _, one := range each {
		byCode = append(byCode, one)
	}
	slices.SortFunc(byCode, func(a, b run) int { return cmp.Compare(a.low, b.low) })
	return byCode
}

// find returns the run that contains a code.
func (r runs) find(code uint32) (run, bool) {
	i, found := slices.BinarySearchFunc(r, code, func(some run, c uint32) int { return cmp.Compare(some.low, c) })
	if !found {
		i--
	}
	if i < 0 || code > r[i].high {
		return run{}, false
	}
	return r[i], true
}
