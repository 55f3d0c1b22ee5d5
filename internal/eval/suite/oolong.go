package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// line is one question of a labelled context, with its properties.
type line struct {
	day   time.Time
	user  int
	label int
	text  string
}

func (l line) String() string {
	return fmt.Sprintf("Date: %s || User: %d || Instance: %s", l.day.Format("Jan 02, 2006"), l.user, l.text)
}

// lines returns a labelled context of about length tokens. Labels and users are not equally frequent.
func lines(r *rand.Rand, length int) []line {
	weights := make([]float64, len(labels))
	for i := range weights {
		weights[i] = 0.5 + 2*r.Float64()
	}
	const tokensOfLine = 45
	users := make([]int, max(4, min(231, length/tokensOfLine/6)))
	for i := range users {
		users[i] = 10_000 + r.IntN(90_000)
	}
	first := time.Date(2022, time.September, 1, 0, 0, 0, 0, time.UTC)
	var all []line
	fill(length, func() string {
		l := line{
			day:   first.AddDate(0, 0, r.IntN(300)),
			user:  users[min(r.IntN(len(users)), r.IntN(len(users)))],
			label: weighted(r, weights),
		}
		l.text = instance(r, l.label)
		all = append(all, l)
		return l.String()
	})
	return all
}

func weighted(r *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := r.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// labelled returns labelled lines as a model sees them.
func labelled(all []line) []Document {
	text := make([]string, 0, len(all)+1)
	text = append(text, describeLabels(len(all), "question"))
	for _, l := range all {
		text = append(text, l.String())
	}
	return one("questions.txt", strings.Join(text, "\n"))
}

// scope is the part of the lines that a question is about.
type scope struct {
	said  string
	holds func(line) bool
}

// scopes select a part of the lines, like the original's groups of tasks.
var scopes = []struct {
	name string
	pick func(r *rand.Rand, all []line) scope
}{
	{"all", func(*rand.Rand, []line) scope {
		return scope{"In the above data", func(line) bool { return true }}
	}},
	{"users", func(r *rand.Rand, all []line) scope {
		chosen := map[int]bool{}
		for range 2 + r.IntN(4) {
			chosen[pick(r, all).user] = true
		}
		var ids []string
		for id := range chosen {
			ids = append(ids, fmt.Sprint(id))
		}
		slices.Sort(ids)
		said := "For the following question, only consider the subset of instances that are associated with user IDs " +
			strings.Join(ids, ", ") + ". Among these instances"
		return scope{said, func(l line) bool { return chosen[l.user] }}
	}},
	{"dates", func(r *rand.Rand, all []line) scope {
		from, to := pick(r, all).day, pick(r, all).day
		if to.Before(from) {
			from, to = to, from
		}
		to = to.AddDate(0, 0, 7)
		said := fmt.Sprintf("For the following question, only consider the subset of instances that occur between %s and %s, inclusive. Among these instances",
			from.Format("Jan 02, 2006"), to.Format("Jan 02, 2006"))
		return scope{said, func(l line) bool { return !l.day.Before(from) && !l.day.After(to) }}
	}},
}

// oolong asks for counts of labels that the data omit, in the original's form.
//
// Source: A. Bertsch et al., Oolong: evaluating long context reasoning and aggregation capabilities, 2025.
func oolong() Suite {
	s := Suite{
		Name:  "oolong",
		About: "classification of every line, then counting: most and least common, comparisons, counts, by user and date",
	}
	for _, sc := range scopes {
		for _, q := range counting {
			s.kinds = append(s.kinds, kind{q.name + ", " + sc.name, func(r *rand.Rand, length int) Item {
				for {
					all := lines(r, length)
					for range 10 { // some scopes, and some contexts, have no clear answer
						if item, ok := q.ask(r, sc.pick(r, all), all); ok {
							item.Documents = labelled(all)
							return item
						}
					}
				}
			}})
		}
	}
	for _, q := range whole {
		s.kinds = append(s.kinds, kind{q.name, func(r *rand.Rand, length int) Item {
			for {
				all := lines(r, length)
				if item, ok := q.ask(r, all); ok {
					item.Documents = labelled(all)
					return item
				}
			}
		}})
	}
	return s
}

// oolongAnswer is a right answer in the form of the original's data.
func oolongAnswer(value, sort string) (out Item) {
	return Item{
		Answer: right(map[string]string{"answer": "[" + value + "]", "answer_type": "ANSWER_TYPE." + sort}),
		Scorer: "oolong",
	}
}

func labelAnswer(label int) Item { return oolongAnswer("'"+labels[label]+"'", "LABEL") }

// counts returns how often each label occurs in a scope.
func counts(s scope, all []line) []int {
	n := make([]int, len(labels))
	for _, l := range all {
		if s.holds(l) {
			n[l.label]++
		}
	}
	return n
}

// counting are questions about the labels in a scope. A question without a clear answer is not asked.
var counting = []struct {
	name string
	ask  func(*rand.Rand, scope, []line) (Item, bool)
}{
	{"most common", func(_ *rand.Rand, s scope, all []line) (Item, bool) {
		i, ok := lone(counts(s, all), func(a, b int) bool { return a > b })
		item := labelAnswer(i)
		item.Question = s.said + ", which of the labels is the most common? Give your final answer in the form 'Label: answer' where answer is one of the labels: " + strings.Join(labels, ", ") + "."
		return item, ok
	}},
	{"least common", func(_ *rand.Rand, s scope, all []line) (Item, bool) {
		i, ok := lone(counts(s, all), func(a, b int) bool { return a < b })
		item := labelAnswer(i)
		item.Question = s.said + ", which of the labels is the least common? Give your final answer in the form 'Label: answer' where answer is one of the labels: " + strings.Join(labels, ", ") + "."
		return item, ok
	}},
	{"comparison", func(r *rand.Rand, s scope, all []line) (Item, bool) {
		n := counts(s, all)
		two := some(r, []int{numeric, entity, location, description, abbreviation, human}, 2)
		a, b := two[0], two[1]
		how := "same frequency as"
		switch {
		case n[a] > n[b]:
			how = "more common than"
		case n[a] < n[b]:
			how = "less common than"
		}
		item := oolongAnswer("'"+how+"'", "COMPARISON")
		item.Question = fmt.Sprintf(
			"%s, is label '%s' more common, less common, or the same frequency as label '%s'? Give your final answer in the form 'Answer: %s is [X] %s', "+
				"where [X] is 'more common than', 'less common than', or 'same frequency as'.", s.said, labels[a],
			labels[b], labels[a], labels[b])
		return item, n[a]+n[b] > 0
	}},
	{"count", func(r *rand.Rand, s scope, all []line) (Item, bool) {
		label := r.IntN(len(labels))
		item := oolongAnswer(fmt.Sprint(counts(s, all)[label]), "NUMERIC")
		item.Question = fmt.Sprintf(
			"%s, how many data points should be classified as label '%s'? Give your final answer in the form 'Answer: number'.", s.said, labels[label])
		return item, true
	}},
}

// whole are questions about users and dates over all lines.
var whole = []struct {
	name string
	ask  func(*rand.Rand, []line) (Item, bool)
}{
	{"user with most of a label", func(r *rand.Rand, all []line) (Item, bool) {
		label := r.IntN(len(labels))
		byUser := map[int]int{}
		for _, l := range all {
			if l.label == label {
				byUser[l.user]++
			}
		}
		user, ok := top(byUser)
		item := oolongAnswer(fmt.Sprint(user), "USER")
		item.Question = fmt.Sprintf(
			"In the above data, which user has the most instances with the label '%s'? Give your final answer in the form 'User: [X]', where [X] is the user ID.", labels[label])
		return item, ok
	}},
	{"user with most", func(_ *rand.Rand, all []line) (Item, bool) {
		byUser := map[int]int{}
		for _, l := range all {
			byUser[l.user]++
		}
		user, ok := top(byUser)
		item := oolongAnswer(fmt.Sprint(user), "USER")
		item.Question = "In the above data, which user is represented most often? Give your final answer in the form 'User: [X]', where [X] is the user ID."
		return item, ok
	}},
	{"date with most of a label", func(r *rand.Rand, all []line) (Item, bool) {
		label := r.IntN(len(labels))
		byDay := map[time.Time]int{}
		for _, l := range all {
			if l.label == label {
				byDay[l.day]++
			}
		}
		day, ok := top(byDay)
		item := oolongAnswer(fmt.Sprintf("datetime.date(%d, %d, %d)", day.Year(), day.Month(), day.Day()), "DATE")
		item.Question = fmt.Sprintf(
			"In the above data, on which date do most instances with the label '%s' occur? Give your final answer in the form 'Date: [X]', "+
				"where [X] is the date as in the data.", labels[label])
		return item, ok
	}},
	{"dates with a label", func(r *rand.Rand, all []line) (Item, bool) {
		label, times := r.IntN(len(labels)), 1+r.IntN(2)
		byDay := map[time.Time]int{}
		for _, l := range all {
			if l.label == label {
				byDay[l.day]++
			}
		}
		n := 0
		for _, c := range byDay {
			if c == times {
				n++
			}
		}
		item := oolongAnswer(fmt.Sprint(n), "NUMERIC")
		item.Question = fmt.Sprintf(
			"In the above data, for how many dates is it true that exactly %d of the instances of that date should be classified as label '%s'? "+
				"Give your final answer in the form 'Answer: number'.", times, labels[label])
		return item, true
	}},
	{"more common before or after", func(r *rand.Rand, all []line) (Item, bool) {
		label, day := r.IntN(len(labels)), pick(r, all).day
		before, after, all1, all2 := 0, 0, 0, 0
		for _, l := range all {
			switch is := l.label == label; {
			case l.day.Before(day):
				all1++
				if is {
					before++
				}
			default:
				all2++
				if is {
					after++
				}
			}
		}
		how := "same frequency as" // compares shares, without fractions
		switch a, b := before*all2, after*all1; {
		case a > b:
			how = "more common than"
		case a < b:
			how = "less common than"
		}
		item := oolongAnswer("'"+how+"'", "COMPARISON")
		item.Question = fmt.Sprintf(
			"In the above data, among instances before %s, is the share of label '%s' more common, less common, or the same frequency as its share among "+
				"the instances on and after that date? Give your final answer in the form 'Answer: [X]', where [X] is 'more common than', 'less common than', or 'same frequency as'.",
			day.Format("Jan 02, 2006"), labels[label])
		return item, all1 > 0 && all2 > 0
	}},
}

// lone finds the value that comes before all others; ok is false if two tie.
func lone(n []int, before func(a, b int) bool) (at int, ok bool) {
	for i := range n {
		if before(n[i], n[at]) {
			at = i
		}
	}
	for i := range n {
		if i != at && n[i] == n[at] {
			return at, false
		}
	}
	return at, true
}

// top returns the key with the largest count; ok is false if two tie.
func top[K comparable](n map[K]int) (best K, ok bool) {
	most, twice := 0, false
	for k, c := range n {
		switch {
		case c > most:
			best, most, twice = k, c, false
		case c == most:
			twice = true
		}
	}
	return best, most > 0 && !twice
}
