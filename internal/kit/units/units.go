// Package units formats sizes, numbers and costs for people and models, so that an amount looks the same in a
// prompt, on a terminal, in an export and in an error. Sizes are decimal: 1 kB is 1000 bytes.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes formats a size with about three digits: "950 bytes", "33.7 kB", "1.2 MB", "4 GB".
func Bytes(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 999_950:
		return tenths(n, 1e3) + " kB"
	case n < 999_950_000:
		return tenths(n, 1e6) + " MB"
	default:
		return tenths(n, 1e9) + " GB"
	}
}

// Binary formats a whole number of GiB, MiB or KiB: "512 MiB", "64 KiB". Other sizes are formatted like Bytes.
func Binary(n int64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, " GiB"}, {20, " MiB"}, {10, " KiB"}} {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return strconv.FormatInt(n>>u.shift, 10) + u.name
		}
	}
	return Bytes(n)
}

// Exact formats a number with its digits in groups of three: "1 234 567".
func Exact(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Count formats a number of tokens, calls or other things: "950", "12.3k", "4.1M". Small numbers are exact.
func Count(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return tenths(n, 1e3) + "k"
	case n < 999_950_000:
		return tenths(n, 1e6) + "M"
	default:
		return tenths(n, 1e9) + "G"
	}
}

// Dollars formats a cost with the digits that matter: "$0.0042", "$1.50".
func Dollars(usd float64) string {
	switch {
	case usd > 0 && usd < 0.0001: // two digits, so that a tiny cost does not look like nothing
		return fmt.Sprintf("$%.*f", min(12, 1-int(math.Floor(math.Log10(usd)))), usd)
	case usd > 0 && usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Cost formats a sum of US dollars of which a part may be unknown: "$0.10", "at least $0.10" or "cost unknown".
func Cost(usd float64, unknown bool) string {
	switch {
	case !unknown:
		return Dollars(usd)
	case usd > 0:
		return "at least " + Dollars(usd)
	}
	return "cost unknown"
}

// Of formats a number with the things that are counted: "1 document", "3 documents".
func Of[N int | int64](n N, thing string) string {
	return strconv.FormatInt(int64(n), 10) + " " + things(int64(n), thing)
}

// About formats a number like Count, with the thing that is counted: "1 token", "12.3k tokens".
func About(n int64, thing string) string { return Count(n) + " " + things(n, thing) }

// things returns the singular or plural of a word for n.
func things(n int64, thing string) string {
	if n == 1 {
		return thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok && stem != "" &&
		!strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		thing = stem + "ie"
	}
	if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	return thing + "s"
}

// tenths formats n in a unit with one decimal, which is omitted if it is 0.
func tenths(n int64, unit float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/unit, 'f', 1, 64), ".0")
}

// Duration formats a time with the digits that matter: "350ms", "12.3s".
func Duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// ParseTime reads a time that is longer than none, as people write it: "90s", "1h30m", or a number of seconds.
func ParseTime(text string) (time.Duration, bool) {
	v, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseFloat(text, 64); err != nil && numErr == nil &&
		math.Abs(seconds) <= math.MaxInt64/float64(time.Second) {
		v, err = time.Duration(seconds*float64(time.Second)), nil
	}
	return v, err == nil && v > 0
}
