package score

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/startup"
)

var (
	bullet    = startup.Regexp(`^\s*(?:[-*•–]|\d{1,4}[.)])\s+`)
	separator = startup.Regexp(`\s*[,;\n]\s*(?:and\s+)?|\s+and\s+`)
	pair      = startup.Regexp(`\(\s*(\d+)\s*,\s*(\d+)\s*\)`)
)

// set is the F1 measure of the items that the answer lists: as one JSON list, one per line, or separated by
// commas. Two empty lists are equal.
func set(gold json.RawMessage) (Func, error) {
	var right []string
	if string(gold) != "[]" {
		var err error
		if right, err = texts(gold); err != nil {
			return nil, err
		}
	}
	want := map[string]bool{}
	for _, r := range right {
		want[plain(r)] = true
	}
	return func(answer string) Score {
		got := map[string]bool{}
		for _, item := range items(answer, want) {
			if item = plain(item); item != "" && item != "none" {
				got[item] = true
			}
		}
		return Score{f1(got, want), read(got)}
	}, nil
}

// items returns the items that an answer lists. A separator that occurs in right items does not separate.
func items(answer string, want map[string]bool) []string {
	for _, text := range append([]string{answer, stated(answer)}, jsondoc.Candidates(answer)...) {
		var list []any
		if json.Unmarshal([]byte(text), &list) != nil {
			continue
		}
		var out []string
		for _, v := range list {
			out = append(out, fmt.Sprint(v))
		}
		return out
	}
	text := strings.Trim(strings.TrimSpace(stated(answer)), "[]{}")
	lines := strings.Split(text, "\n")
	var out []string
	for _, line := range lines {
		line = bullet().ReplaceAllString(line, "")
		if want[plain(line)] {
			out = append(out, line)
			continue
		}
		out = append(out, separator().Split(line, -1)...)
	}
	return out
}

// f1 is the harmonic mean of precision and recall of a set.
func f1[T comparable](got, want map[T]bool) float64 {
	if len(got) == 0 && len(want) == 0 {
		return 1
	}
	both := 0
	for v := range got {
		if want[v] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(got)+len(want))
}

// read returns the items of a set as text, in order.
func read(set map[string]bool) string {
	var all []string
	for v := range set {
		all = append(all, v)
	}
	slices.Sort(all)
	const most = 20
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(all, ", ")
}

// pairs is the F1 measure of the pairs of numbers (a, b) in the answer, in any order: the score of OOLONG-Pairs.
// gold is a list of lists of two, or a text with (a, b).
func pairs(gold json.RawMessage) (Func, error) {
	var list [][2]int64
	var text string
	if json.Unmarshal(gold, &list) != nil && json.Unmarshal(gold, &text) != nil {
		return nil, errors.New("the right answer is not a list of pairs [[1, 2], …]")
	}
	want := pairsIn(text)
	for _, p := range list {
		want[ordered(p[0], p[1])] = true
	}
	return func(answer string) Score {
		got := pairsIn(answer)
		return Score{f1(got, want), fmt.Sprintf("%d pairs of %d", len(got), len(want))}
	}, nil
}

func pairsIn(text string) map[[2]int64]bool {
	found := map[[2]int64]bool{}
	for _, m := range pair().FindAllStringSubmatch(text, -1) {
		a, errA := strconv.ParseInt(m[1], 10, 64)
		b, errB := strconv.ParseInt(m[2], 10, 64)
		if cmp.Or(errA, errB) == nil {
			found[ordered(a, b)] = true
		}
	}
	return found
}

func ordered(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }
