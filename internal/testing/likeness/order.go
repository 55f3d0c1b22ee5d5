package likeness

import "math/bits"

// CommonSubsequence is the length of the longest common subsequence: how many words of b occur in a in the same
// order. It computes a row of the usual table 64 columns at a time (Hyyrö's algorithm), so that books can be
// compared.
func CommonSubsequence(a, b []string) int {
	where := map[string][]int{}
	for i, w := range b {
		where[w] = append(where[w], i)
	}
	row := make([]uint64, (len(b)+63)/64) // a set bit means that the length does not grow there
	for i := range row {
		row[i] = ^uint64(0)
	}
	for _, w := range a {
		grow(row, where[w])
	}
	length := 0
	for _, w := range row {
		length += bits.OnesCount64(^w)
	}
	return length
}

// grow updates the row for one more word, which occurs at these places of the other text.
func grow(row []uint64, at []int) {
	var carry uint64
	for i := 0; i < len(row) && (carry > 0 || len(at) > 0); i++ {
		if carry == 0 {
			i = at[0] / 64
		}
		var here uint64
		for ; len(at) > 0 && at[0]/64 == i; at = at[1:] {
			here |= 1 << (at[0] % 64)
		}
		sum, over := bits.Add64(row[i], row[i]&here, carry)
		row[i], carry = sum|row[i]&^here, over
	}
}
