package schema

import (
	"math/big"
	"strconv"
	"strings"
)

// number is an exact JSON number.
type number struct {
	literal string
	rat     *big.Rat
}

// longestNumber bounds the digits of a number, and farthest its exponent: no float64 exceeds them, and the exact
// value of a larger number could take all memory.
const (
	longestNumber = 400
	farthest      = 400
)

// parseNumber parses a number; ok is false if it is too large or too long.
func parseNumber(literal string) (n number, ok bool) {
	if len(literal) > longestNumber {
		return n, false
	}
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		if exp, err := strconv.Atoi(literal[at+1:]); err != nil || exp > farthest || exp < -farthest {
			return n, false
		}
	}
	rat, ok := new(big.Rat).SetString(literal)
	return number{literal, rat}, ok
}

func (n number) isWhole() bool { return n.rat.IsInt() }

// whole is a whole number without a decimal point or an exponent.
func (n number) whole() string { return n.rat.Num().String() }
