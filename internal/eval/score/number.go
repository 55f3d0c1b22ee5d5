package score

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

var numeral = startup.Regexp(
	`[-+−]?(?:\d{1,3}(?:[,\x{00A0}\x{202F}_' ]\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+−]?\.\d+`)

// lastNumber returns the last number that a text states as its answer. Thousands may be grouped.
func lastNumber(answer string) (float64, bool) {
	for _, text := range []string{stated(answer), answer} {
		found := numeral().FindAllString(text, -1)
		if len(found) == 0 {
			continue
		}
		if text != answer { // "Answer: 12 of 30": the first number is the answer
			found = found[:1]
		}
		if n, ok := parseNumber(found[len(found)-1]); ok {
			return n, true
		}
	}
	return 0, false
}

func parseNumber(text string) (float64, bool) {
	text = strings.Map(func(r rune) rune {
		switch r {
		case ',', '_', '\'', ' ', '\u00A0', '\u202F':
			return -1
		case '−':
			return '-'
		}
		return r
	}, text)
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// number compares numbers. Without a tolerance the score is 0.75 to the power of the difference, as in OOLONG;
// with {"value": 12.5, "within": 0.1} it is 1 within that distance and 0 outside.
func number(gold json.RawMessage) (Func, error) {
	right, within, err := numberGold(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		n, ok := lastNumber(answer)
		if !ok {
			return Score{0, "no number"}
		}
		read := strconv.FormatFloat(n, 'f', -1, 64)
		d := math.Abs(n - right)
		if within >= 0 {
			return yes(d <= within*(1+1e-12), read)
		}
		return Score{near(d), read}
	}, nil
}

// near is OOLONG's score for a number that is off by d.
func near(d float64) float64 { return math.Pow(0.75, d) }

func numberGold(gold json.RawMessage) (right, within float64, err error) {
	var tolerant struct{ Value, Within *float64 }
	if json.Unmarshal(gold, &tolerant) == nil && tolerant.Value != nil {
		if tolerant.Within == nil {
			return *tolerant.Value, -1, nil
		}
		if *tolerant.Within < 0 {
			return 0, 0, errors.New("the tolerance is negative")
		}
		return *tolerant.Value, *tolerant.Within, nil
	}
	one, err := texts(gold)
	if err != nil {
		return 0, 0, err
	}
	n, ok := parseNumber(strings.TrimSpace(one[0]))
	if len(one) != 1 || !ok {
		return 0, 0, errors.New("the right answer is not a number")
	}
	return n, -1, nil
}
