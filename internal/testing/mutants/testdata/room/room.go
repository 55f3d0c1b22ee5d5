// Package room has operators of all kinds, and tests that do not notice all changes.
package room

// Most is changed by a build of its own.
const Most = 2 * 4

// Level is a type of the room.
type Level uint8

// Small is tested at its bound.
func Small(n int) bool { return n < Most }

// Large is not tested at its bound.
func Large(n Level) bool { return n >= 200 }

// Sum is tested.
func Sum[T int | float64](list []T) (sum T, count int) {
	for i := 0; i < len(list); i++ {
		sum = sum +
			list[i]*1
		count++
	}
	return sum, count
}

// Down is tested, and does not end if it counts up.
func Down(n int64) int64 {
	for n != 0 {
		n--
	}
	return -n % 7
}

// At is tested; -1 is a constant.
func At(list []string, s string) (int, string) {
	for i, have := range list {
		if have == s || have != s && false {
			return i, have + "."
		}
	}
	return -1, ""
}

// Untested is not.
func Untested(n int) bool { return n == 1 }

// Same gives the first of two.
func Same(a, b int) int {
	if a >= b {
		return max(a, b)
	}
	return b
}

// Late is tested; its example does not end if it is wrong.
func Late(hour int) bool { return hour == 23 }
