package score

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// dayLayouts are dates as models write them. An ambiguous date with slashes is read the American way, as Python's
// dateutil does.
var dayLayouts = []string{
	"2006-01-02", "2006/01/02", "2006.01.02", "20060102", "January 2, 2006", "January 2 2006", "Jan 2, 2006",
	"Jan 2 2006", "2 January 2006",
	"2 Jan 2006", "02-Jan-2006", "1/2/2006", "1-2-2006", "1.2.2006", "January 2006", "Jan 2006", "2006-01",
}

var (
	ordinalDay = startup.Regexp(`\b(\d{1,2})(?:st|nd|rd|th)\b`)
	weekday    = startup.Regexp(`(?i)^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+`)
	someDate   = startup.Regexp(
		`(?i)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+\d{4}`)
)

// parseDay reads a text that is a date.
func parseDay(text string) (time.Time, bool) {
	text = strings.Join(strings.Fields(strings.Trim(text, "*_`\"'“”.[]() \t\r\n")), " ")
	text = weekday().ReplaceAllString(text, "")
	text = ordinalDay().ReplaceAllString(text, "$1")
	text = strings.NewReplacer(" of ", " ", "Sept ", "Sep ", "sept ", "sep ").Replace(text)
	for _, layout := range dayLayouts {
		for _, t := range []string{text, strings.ReplaceAll(text, ".", ""), strings.ReplaceAll(text, ",", "")} {
			if day, err := time.Parse(layout, t); err == nil {
				return day, true
			}
		}
	}
	if day, err := time.Parse("2006-01-02 15:04:05", strings.Replace(text, "T", " ", 1)); err == nil {
		return day.Truncate(24 * time.Hour), true
	}
	return time.Time{}, false
}

// date is 1 if the answer states the same day.
func date(gold json.RawMessage) (Func, error) {
	one, err := texts(gold)
	if err != nil {
		return nil, err
	}
	right, ok := parseDay(one[0])
	if len(one) != 1 || !ok {
		return nil, errors.New("the right answer is not a date")
	}
	return func(answer string) Score {
		day, ok := lastDay(answer)
		if !ok {
			return Score{0, "no date"}
		}
		return yes(day.Equal(right), day.Format(time.DateOnly))
	}, nil
}

// lastDay returns the date that an answer states.
func lastDay(answer string) (time.Time, bool) {
	for _, text := range []string{answer, stated(answer)} {
		if day, ok := parseDay(text); ok {
			return day, true
		}
	}
	found := someDate().FindAllString(answer, -1)
	if len(found) == 0 {
		return time.Time{}, false
	}
	return parseDay(found[len(found)-1])
}
