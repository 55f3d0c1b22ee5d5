package likeness

import (
	"encoding/csv"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Number reads a number and its count of decimal places. Commas between digits and a trailing percent sign are
// ignored.
func Number(s string) (v float64, places int, ok bool) {
	s = strings.TrimSuffix(strings.ReplaceAll(s, ",", ""), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, 0, false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	if _, decimals, has := strings.Cut(mantissa, "."); has {
		places = len(decimals)
	}
	if n, err := strconv.Atoi(exponent); err == nil {
		places -= n
	}
	return v, places, true
}

// Cells returns the words of each row of a sheet in CSV. A cell with a number, a date or a truth value is one
// word, the same in any format: 1,234.50, $1234.5 and 1234.5; 5% and 0.05; 03/01/2025 and 2025-03-01.
func Cells(text string) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	var rows [][]string
	for {
		record, err := r.Read()
		if err == io.EOF || err != nil && record == nil {
			return rows
		}
		var row []string
		for _, cell := range record {
			row = append(row, cellWords(strings.TrimSpace(cell))...)
		}
		rows = append(rows, row)
	}
}

func cellWords(cell string) []string {
	if cell == "" {
		return nil
	}
	if v, ok := amount(cell); ok {
		return []string{strconv.FormatFloat(v, 'g', 10, 64)}
	}
	if date := date(cell); date != "" {
		return []string{date}
	}
	if strings.EqualFold(cell, "true") || strings.EqualFold(cell, "false") {
		return []string{strings.ToLower(cell)}
	}
	words := Words(cell)
	for i, w := range words {
		if v, ok := amount(w); ok {
			words[i] = strconv.FormatFloat(v, 'g', 10, 64)
		}
	}
	return words
}

var plainNumber = regexp.MustCompile(`^\(?[-+]?[$€£¥]? ?[-+]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)?` +
	`(\.[0-9]*)?([eE][-+]?[0-9]+)? ?[€%]?\)?$`)

// amount reads a number, with or without thousands separators, a currency sign, a percent sign, or brackets for a
// negative one.
func amount(s string) (float64, bool) {
	if !strings.ContainsAny(s, "0123456789") || !plainNumber.MatchString(s) {
		return 0, false
	}
	bare := strings.NewReplacer("$", "", "€", "", "£", "", "¥", "", " ", "").Replace(s)
	v, _, ok := Number(strings.Trim(bare, "()"))
	if strings.Contains(s, "%") {
		v /= 100
	}
	if strings.HasPrefix(s, "(") {
		v = -math.Abs(v)
	}
	return v, ok
}

var (
	days = []string{
		"2006-1-2", "1/2/2006", "1/2/06", "2.1.2006", "2-Jan-06", "2-Jan-2006",
		"Jan 2, 2006", "January 2, 2006", "Monday, January 2, 2006", "",
	}
	clocks = []string{"", "15:4", "15:4:5", "3:4 PM", "3:4:5 PM"}
)

// date normalizes a date, a time, or both; "" if s is none of them.
func date(s string) string {
	if len(s) < 4 || len(s) > 40 || !strings.ContainsAny(s, "0123456789") || !strings.ContainsAny(s, "-/.,:") {
		return ""
	}
	s = strings.Replace(s, "T", " ", 1)
	for _, day := range days {
		for _, clock := range clocks {
			t, err := time.Parse(strings.TrimSpace(day+" "+clock), s)
			switch {
			case err != nil || day+clock == "":
			case day == "":
				return t.Format("15:04:05")
			case t.Hour()+t.Minute()+t.Second() == 0:
				return t.Format(time.DateOnly)
			default:
				return t.Format(time.DateTime)
			}
		}
	}
	return ""
}
