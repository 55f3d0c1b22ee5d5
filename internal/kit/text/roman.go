package text

import "strings"

// Roman returns a number from 1 to 3999 as a Roman numeral, in capitals.
func Roman(n int) string {
	values := [...]int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := [...]string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var b strings.Builder
	for i, value := range values {
		for ; n >= value; n -= value {
			b.WriteString(signs[i])
		}
	}
	return b.String()
}
