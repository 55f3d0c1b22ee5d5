package builtins

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/repl"
)

// draw adds a chart to the cell's items, and returns or prints its text.
func draw(site *repl.Site, c chart.Chart) string {
	text := c.Text()
	if item, err := bundle.New(text, bundle.ChartType, c); err == nil {
		site.Display(item)
	}
	return printed(site, text)
}

func (m *factory) bars(name string) any {
	return func(site *repl.Site, rows any) string {
		t := typeOf(site, 0)
		cells, ok := tabulate(site, rows, t)
		if !ok {
			panic(failed(name, "it takes a map of numbers, or rows with a name and a number, not a value of type %s",
				shownType(rows, t)))
		}
		labels, values, err := cells.barsOf()
		if err != nil {
			panic(failed(name, "%w", err))
		}
		if keyedByText(t) { // the order of names carries no information: largest first
			order := make([]int, len(labels))
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
			labels, values = pick(labels, order), pick(values, order)
		}
		return draw(site, chart.NewBars(labels, values))
	}
}

func pick[T any](from []T, order []int) []T {
	out := make([]T, len(order))
	for i, n := range order {
		out[i] = from[n]
	}
	return out
}

func keyedByText(t types.Type) bool {
	if t == nil {
		return false
	}
	m, ok := types.Unalias(t).Underlying().(*types.Map)
	if !ok {
		return types.IsInterface(t) // parse_json's maps are keyed by text
	}
	b, ok := m.Key().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// barsOf finds names and numbers in rows: the first column of numbers is drawn, and the first other column names
// its bars.
func (c cells) barsOf() (labels []string, values []float64, err error) {
	rows := c.rows
	if c.headed {
		rows = rows[1:]
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	number, name := -1, -1
	for j := width - 1; j >= 0; j-- {
		if isColumn(rows, j) && (j > 0 || number < 0) {
			number = j
		}
	}
	for j := width - 1; j >= 0; j-- {
		if j != number {
			name = j
		}
	}
	if number < 0 && len(rows) > 0 {
		return nil, nil, errors.New("the rows have no column of numbers")
	}
	for i, row := range rows {
		label, value := strconv.Itoa(i), math.NaN()
		if name >= 0 && name < len(row) {
			label = row[name]
		}
		if number < len(row) {
			value, _ = parseNumber(row[number])
		}
		labels, values = append(labels, label), append(values, value)
	}
	return labels, values, nil
}

// isColumn reports whether a column has only numbers, ignoring empty cells.
func isColumn(rows [][]string, j int) bool {
	numbers := 0
	for _, row := range rows {
		if j >= len(row) || strings.TrimSpace(row[j]) == "" {
			continue
		}
		if _, ok := parseNumber(row[j]); !ok {
			return false
		}
		numbers++
	}
	return numbers > 0
}

func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "%"), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN(), false
	}
	return v, true
}

func (m *factory) hist(name string) any {
	return func(site *repl.Site, values any, bins ...int) string {
		numbers, _, err := numbersOf(site, values, typeOf(site, 0), false)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		n := 0
		if len(bins) > 0 {
			if n = bins[0]; n < 1 {
				panic(failed(name, "%d bins make no sense; give 1 or more", n))
			}
		}
		return draw(site, chart.NewHistogram(numbers, n))
	}
}

func (m *factory) plot(name string) any {
	return func(site *repl.Site, xs any, ys ...any) string {
		x, isTime, err := numbersOf(site, xs, typeOf(site, 0), len(ys) > 0)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		var series []chart.Series
		if len(ys) == 0 {
			places := make([]float64, len(x))
			for i := range places {
				places[i] = float64(i)
			}
			series = append(series, chart.Series{Name: argument(site, 0), X: coordinates(places), Y: coordinates(x)})
		}
		for n, list := range ys {
			y, _, err := numbersOf(site, list, typeOf(site, n+1), false)
			if err != nil {
				panic(failed(name, "%w", err))
			}
			if len(y) != len(x) {
				panic(failed(name, "there are %d values of xs and %d of %s; each x needs one", len(x), len(y),
					cmp.Or(argument(site, n+1), "ys")))
			}
			series = append(series, chart.Series{Name: argument(site, n+1), X: coordinates(x), Y: coordinates(y)})
		}
		return draw(site, chart.NewLine(series, isTime))
	}
}

// argument returns the name of the variable that a cell passed as an argument; it becomes the name of a line.
func argument(site *repl.Site, i int) string {
	if i >= len(site.Text) || !token.IsIdentifier(site.Text[i]) {
		return ""
	}
	return site.Text[i]
}

func coordinates(values []float64) []chart.Number {
	out := make([]chart.Number, len(values))
	for i, v := range values {
		out[i] = chart.Number(v)
	}
	return out
}

// numbersOf reads a list of numbers of any type, and with timesToo of times. Elements that are not numbers become
// NaN.
func numbersOf(site *repl.Site, list any, t types.Type, timesToo bool) (out []float64, isTime bool, err error) {
	v := reflect.ValueOf(list)
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, false, fmt.Errorf("want a list of numbers, not %s", shownType(list, t))
	}
	var elem types.Type
	if t != nil {
		if l, ok := types.Unalias(t).Underlying().(interface{ Elem() types.Type }); ok {
			elem = l.Elem()
		}
	}
	out = make([]float64, v.Len())
	times, known := 0, 0
	for i := range out {
		var is bool
		out[i], is = numberOf(site, v.Index(i), elem, timesToo)
		if is {
			times++
		}
		if !math.IsNaN(out[i]) {
			known++
		}
	}
	if known == 0 && len(out) > 0 && v.Index(0).Kind() != reflect.Float64 {
		return nil, false, fmt.Errorf("there is no number in the %s", shownType(list, t))
	}
	return out, times > 0, nil
}

func numberOf(site *repl.Site, v reflect.Value, t types.Type, timesToo bool) (n float64, isTime bool) {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
		t = nil
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), false
	case v.CanUint():
		return float64(v.Uint()), false
	case v.CanFloat():
		return v.Float(), false
	case !v.IsValid() || !v.CanInterface():
		return math.NaN(), false
	}
	text := ""
	switch x := v.Interface().(type) {
	case time.Time:
		return float64(x.UnixNano()) / 1e9, true
	case string:
		text = x
	case json.Number:
		text = string(x)
	default:
		text = site.Format(x, t)
	}
	if n, ok := parseNumber(text); ok {
		return n, false
	}
	if timesToo {
		for _, layout := range []string{
			time.RFC3339Nano, time.DateTime, time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01",
		} {
			if when, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
				return float64(when.UnixNano()) / 1e9, true
			}
		}
	}
	return math.NaN(), false
}
