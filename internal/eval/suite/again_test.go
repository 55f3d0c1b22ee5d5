package suite

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests in this file compute the answers independently of the suite, from the text and the question alone.

// long reports whether to check a thousand items of each suite.
func long(t *testing.T) bool {
	t.Helper()
	return os.Getenv("RLM_LONG") != ""
}

// each checks n items whose kind starts with kinds: again computes their answers independently.
func each(t *testing.T, s Suite, kinds string, n, length int, again func(Item) any) {
	t.Helper()
	done := 0
	for i := 0; done < n; i++ {
		item := s.Item(11, length, i)
		if !strings.HasPrefix(item.Kind, kinds) {
			require.LessOrEqual(t, i, 100*n, "%s has no kind %q", s.Name, kinds)
			continue
		}
		done++
		assertAnswer(t, item, again(item))
	}
}

// assertAnswer compares an answer that was computed again with the item's right answer, in the form of the latter.
func assertAnswer(t *testing.T, item Item, again any) {
	t.Helper()
	about := fmt.Sprintf("%s (%s): %q the second time, not %s", item.ID, item.Kind, item.Question, item.Answer)
	var v any
	require.NoError(t, json.Unmarshal(item.Answer, &v))
	if list, ok := v.([]any); ok && len(list) > 0 {
		if _, one := again.(string); one {
			v = list[0] // the others are other spellings of the answer
		}
	}
	if m, ok := v.(map[string]any); ok {
		if a, ok := m["answer"]; ok {
			assert.Equal(t, fmt.Sprint(a), fmt.Sprint(again), about)
			return
		}
		v = m["value"]
	}
	if n, ok := v.(float64); ok {
		g, err := strconv.ParseFloat(fmt.Sprint(again), 64)
		require.NoError(t, err, about)
		assert.Less(t, math.Abs(n-g), 0.001, about)
		return
	}
	assert.Equal(t, fmt.Sprint(v), fmt.Sprint(again), about)
}

func TestNeedlesAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 13 // for a thousand items of the suite
	}
	find := regexp.MustCompile(`for ([\w-]+) is: ([\w-]+)\.`)
	for _, s := range []Suite{niah(), absent()} {
		each(t, s, "", 80*times, 2000, func(item Item) any {
			there := map[string][]string{}
			for _, m := range find.FindAllStringSubmatch(textOf(item), -1) {
				there[m[1]] = append(there[m[1]], m[2])
			}
			_, asked, _ := strings.Cut(item.Question, " for ")
			asked, _, _ = strings.Cut(asked, " mentioned")
			var want []string
			for key := range strings.SplitSeq(strings.ReplaceAll(asked, ", and ", ", "), ", ") {
				want = append(want, there[key]...)
			}
			var right []string
			require.NoError(t, json.Unmarshal(item.Answer, &right))
			if len(want) == 0 {
				return "not in the context"
			}
			slices.Sort(want)
			slices.Sort(right)
			if !slices.Equal(want, right) {
				return want
			}
			var same any
			require.NoError(t, json.Unmarshal(item.Answer, &same))
			return same
		})
	}
}

// read returns the lines of a labelled context, with the labels that their words imply.
func (rd reader) read(t *testing.T, item Item) (all []line) {
	t.Helper()
	form := regexp.MustCompile(`^Date: (.+?) \|\| User: (\d+) \|\| Instance: (.+)$`)
	for l := range strings.Lines(textOf(item)) {
		m := form.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			continue
		}
		at, err := time.Parse("Jan 02, 2006", m[1])
		require.NoError(t, err)
		user, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		found := rd.labelsOf(m[3])
		require.Len(t, found, 1, "the labels of %q", m[3])
		for label := range found {
			all = append(all, line{at, user, label, m[3]})
		}
	}
	return all
}

func TestOolongAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 18 // for a thousand items of the suite
	}
	rd := newReader()
	users := regexp.MustCompile(`user IDs ([\d, ]+)\. Among`)
	dates := regexp.MustCompile(`between (\w+ \d+, \d+) and (\w+ \d+, \d+), inclusive`)
	in := func(item Item) map[string]int {
		n := map[string]int{}
		for _, l := range labels {
			n[l] = 0
		}
		for _, l := range rd.read(t, item) {
			if m := users.FindStringSubmatch(item.Question); m != nil &&
				!strings.Contains(", "+m[1]+",", fmt.Sprintf(" %d,", l.user)) {
				continue
			}
			if m := dates.FindStringSubmatch(item.Question); m != nil {
				from, err := time.Parse("Jan 02, 2006", m[1])
				require.NoError(t, err)
				to, err := time.Parse("Jan 02, 2006", m[2])
				require.NoError(t, err)
				if l.day.Unix() < from.Unix() || l.day.Unix() > to.Unix() {
					continue
				}
			}
			n[labels[l.label]]++
		}
		return n
	}
	names := func(n map[string]int) []string {
		return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return n[a] - n[b] })
	}
	quoted := regexp.MustCompile(`label '([a-z ]+)'`)
	each(t, oolong(), "most common", 12*times, 3000, func(item Item) any { return "['" + names(in(item))[5] + "']" })
	each(t, oolong(), "least common", 12*times, 3000, func(item Item) any { return "['" + names(in(item))[0] + "']" })
	each(t, oolong(), "count", 12*times, 3000, func(item Item) any {
		return fmt.Sprintf("[%d]", in(item)[quoted.FindStringSubmatch(item.Question)[1]])
	})
	each(t, oolong(), "comparison", 12*times, 3000, func(item Item) any {
		m := quoted.FindAllStringSubmatch(item.Question, -1)
		n := in(item)
		return []string{
			"['less common than']", "['same frequency as']",
			"['more common than']",
		}[1+sign(n[m[0][1]]-n[m[1][1]])]
	})
	each(t, oolong(), "user with most of", 8*times, 3000, func(item Item) any {
		label, byUser := quoted.FindStringSubmatch(item.Question)[1], map[string]int{}
		for _, l := range rd.read(t, item) {
			if labels[l.label] == label {
				byUser[fmt.Sprint(l.user)]++
			}
		}
		list := names(byUser)
		return "[" + list[len(list)-1] + "]"
	})
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestPairsAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 25 // for a thousand items of the suite
	}
	rd := newReader()
	type user struct {
		n           [6]int
		first, last [6]time.Time
	}
	after := func(u user, label int, at time.Time) bool { return u.n[label] == 0 || u.first[label].After(at) }
	before := func(u user, label int, at time.Time) bool { return u.n[label] == 0 || u.last[label].Before(at) }
	const n, e, l, d, a, h = numeric, entity, location, description, abbreviation, human
	// Each predicate in Go: the first ten apply to both users, the others to one user each.
	both := []func(u user) bool{
		func(u user) bool { return u.n[n]+u.n[l] > 0 },
		func(u user) bool { return u.n[e]+u.n[h] > 0 },
		func(u user) bool { return u.n[d]+u.n[a] > 0 },
		func(u user) bool { return u.n[h]+u.n[l] > 0 && after(u, h, day(1, 6)) },
		func(u user) bool { return u.n[e]+u.n[n] > 0 && before(u, e, day(3, 15)) },
		func(u user) bool { return u.n[l]+u.n[a] > 0 },
		func(u user) bool { return u.n[d]+u.n[n] > 0 && after(u, n, day(2, 1)) },
		func(u user) bool { return u.n[h]+u.n[d] > 0 },
		func(u user) bool { return u.n[e]+u.n[l] > 0 && after(u, l, day(4, 10)) },
		func(u user) bool { return u.n[n]+u.n[a] > 0 && before(u, a, day(5, 20)) },
	}
	two := []func(x, y user) bool{
		func(x, y user) bool { return x.n[e] >= 1 && x.n[a] >= 1 && y.n[e] == 1 },
		func(x, y user) bool { return x.n[n] >= 2 && y.n[l] >= 1 && y.n[h] >= 1 },
		func(x, y user) bool { return x.n[d] == 1 && y.n[a] >= 1 && y.n[e] >= 1 },
		func(x, y user) bool { return x.n[h] >= 1 && x.n[n] >= 1 && y.n[l] == 2 },
		func(x, y user) bool { return x.n[e] >= 1 && x.n[l] >= 1 && x.n[a] >= 1 && y.n[n] == 1 },
		func(x, y user) bool { return x.n[d] >= 1 && x.n[h] >= 1 && y.n[e] >= 2 && y.n[a] == 1 },
		func(x, y user) bool { return x.n[n] == 1 && y.n[l] >= 1 && y.n[d] >= 1 },
		func(x, y user) bool { return x.n[a] >= 1 && x.n[h] == 1 && y.n[e] >= 1 && y.n[n] >= 1 },
		func(x, y user) bool { return x.n[l] >= 2 && x.n[e] >= 1 && y.n[d] == 1 && y.n[a] == 1 },
		func(x, y user) bool { return x.n[n] >= 1 && x.n[h] >= 1 && y.n[l] >= 1 && y.n[e] >= 1 && y.n[a] == 1 },
	}
	each(t, pairs(), "", 40*times, 4000, func(item Item) any {
		users := map[int]user{}
		for _, one := range rd.read(t, item) {
			u := users[one.user]
			if u.n[one.label]++; u.n[one.label] == 1 || one.day.Before(u.first[one.label]) {
				u.first[one.label] = one.day
			}
			if one.day.After(u.last[one.label]) {
				u.last[one.label] = one.day
			}
			users[one.user] = u
		}
		at, err := strconv.Atoi(strings.TrimPrefix(item.Kind, "predicate "))
		require.NoError(t, err)
		found := [][2]int{}
		for x, ux := range users {
			for y, uy := range users {
				if x < y && (at <= 10 && both[at-1](ux) && both[at-1](uy) ||
					at > 10 && (two[at-11](ux, uy) || two[at-11](uy, ux))) {
					found = append(found, [2]int{x, y})
				}
			}
		}
		slices.SortFunc(found, func(p, q [2]int) int { return slices.Compare(p[:], q[:]) })
		return found
	})
}

func TestOrdersAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 34 // for a thousand items of the suite
	}
	read := func(item Item) map[string]map[string]string {
		orders := map[string]map[string]string{}
		for _, d := range item.Documents {
			r := csv.NewReader(strings.NewReader(d.Text))
			r.Comment = '#'
			rows, err := r.ReadAll()
			require.NoError(t, err)
			for _, row := range rows[1:] {
				o := map[string]string{}
				for i, name := range rows[0] {
					o[name] = row[i]
				}
				if !strings.EqualFold(o["status"], "cancelled") {
					orders[o["order"]] = o
				}
			}
		}
		return orders
	}
	amount := func(o map[string]string) float64 {
		v, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(o["amount"], ",", ""), "EUR €"), 64)
		require.NoError(t, err)
		return v
	}
	each(t, tables(), "sum", 10*times, 5000, func(item Item) any {
		sum := 0.0
		for _, o := range read(item) {
			if strings.Contains(item.Question, "region "+o["region"][:1]+strings.ToLower(o["region"][1:])+"?") {
				sum += amount(o)
			}
		}
		return sum
	})
	each(t, tables(), "best", 10*times, 5000, func(item Item) any {
		sums := map[string]float64{}
		for _, o := range read(item) {
			sums[o["customer"]] += amount(o)
		}
		best := ""
		for name := range sums {
			if sums[name] > sums[best] {
				best = name
			}
		}
		return best
	})
	each(t, tables(), "orders of", 10*times, 5000, func(item Item) any {
		_, month, _ := strings.Cut(item.Question, "dated in ")
		number := 1 + slices.IndexFunc([]string{
			"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct",
			"Nov", "Dec",
		}, func(m string) bool { return m == month[:3] })
		n := 0
		for _, o := range read(item) {
			if strings.Contains(o["date"], month[:3]) ||
				strings.Contains(strings.ReplaceAll(o["date"], "/", "-"), fmt.Sprintf("-%02d-", number)) {
				n++
			}
		}
		return n
	})
}

func TestLogsAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 34 // for a thousand items of the suite
	}
	forms := []*regexp.Regexp{
		regexp.MustCompile(`"service":"(?P<service>\w+)","user":"(?P<user>u\d+)","status":(?P<status>\d+),"duration_ms":(?P<ms>\d+),"request":"(?P<id>\w+)"`),
		regexp.MustCompile(`Z (?P<service>\w+)\[(?P<id>\w+)\]: user=(?P<user>u\d+) status=(?P<status>\d+) took=(?P<ms>[\d.]+)s`),
		regexp.MustCompile(`service=(?P<service>\w+) req=(?P<id>\w+) (?P<user>u\d+) -> (?P<status>\d+) \((?P<ms>\d+) ms\)`),
	}
	read := func(item Item) (of []map[string]string) {
		_, service, _ := strings.Cut(item.Question, "the service ")
		service, _, _ = strings.Cut(service, " ")
		for l := range strings.Lines(textOf(item)) {
			for _, f := range forms {
				m := f.FindStringSubmatch(l)
				if m == nil {
					continue
				}
				q := map[string]string{}
				for i, name := range f.SubexpNames() {
					q[name] = strings.ReplaceAll(m[i], ".", "")
				}
				if q["service"] == service {
					of = append(of, q)
				}
			}
		}
		return of
	}
	each(t, tables(), "errors", 10*times, 5000, func(item Item) any {
		n := 0
		for _, q := range read(item) {
			if q["status"][0] == '5' {
				n++
			}
		}
		return n
	})
	each(t, tables(), "slowest", 10*times, 5000, func(item Item) any {
		best, most := "", -1
		for _, q := range read(item) {
			ms, err := strconv.Atoi(q["ms"])
			require.NoError(t, err)
			if ms > most {
				best, most = q["id"], ms
			}
		}
		return best
	})
	each(t, tables(), "users", 10*times, 5000, func(item Item) any {
		n, users := map[string]int{}, []string{}
		for _, q := range read(item) {
			if q["status"][0] == '5' {
				n[q["user"]]++
			}
		}
		var times int
		_, err := fmt.Sscanf(item.Question, "Which users had %d or more", &times)
		require.NoError(t, err)
		for u := range n {
			if n[u] >= times {
				users = append(users, u)
			}
		}
		slices.Sort(users)
		return users
	})
}

func TestHopsAgain(t *testing.T) {
	t.Parallel()
	times, length := 1, 6000
	if long(t) {
		times, length = 17, 2500 // for a thousand items of the suite
	}
	name, firm := `([A-Z]\w+ [A-Z]\w+)`, `([A-Z]\w+ & [A-Z]\w+)`
	facts := func(item Item, forms ...string) map[string]string {
		found := map[string]string{}
		for _, f := range forms {
			for _, m := range regexp.MustCompile(f).FindAllStringSubmatch(textOf(item), -1) {
				found[m[1]] = m[2]
			}
		}
		return found
	}
	each(t, hops(), "", 60*times, length, func(item Item) any {
		founder := map[string]string{}
		for _, f := range []string{`Later ` + name + ` founded ` + firm, name + ` went on to found ` + firm} {
			for _, m := range regexp.MustCompile(f).FindAllStringSubmatch(textOf(item), -1) {
				founder[m[2]] = m[1]
			}
		}
		maps.Copy(founder, facts(item, firm+`, the maker of [^,]+, was founded by `+name, firm+`, founded by `+name))
		teacher := facts(item, name+` learned the trade from `+name, `All that `+name+` knew, `+name+` had`,
			`Who taught `+name+`\? It was `+name)
		for _, m := range regexp.MustCompile(`It was `+name+` who taught `+name).FindAllStringSubmatch(
			textOf(item), -1) {
			teacher[m[2]] = m[1]
		}
		born := facts(item, name+` was born in (\w+)`, `Where was `+name+` born\? In (\w+)`,
			`was founded by `+name+`, who came from (\w+)`)
		for _, m := range regexp.MustCompile(`Born in (\w+), `+name).FindAllStringSubmatch(textOf(item), -1) {
			born[m[2]] = m[1]
		}
		made := facts(item, firm+`, which made ([^.]+)\.`, firm+`, the maker of ([^,]+),`,
			firm+`; it became known for ([^.]+)\.`, firm+`, founded by [^,]+, what did it make\? ([^.]+)\.`)
		start := regexp.MustCompile(`the founder of ` + firm).FindStringSubmatch(item.Question)[1]
		at := founder[start]
		for range strings.Count(item.Question, "the teacher of") {
			at = teacher[at]
		}
		if strings.HasPrefix(item.Question, "In which town") {
			return born[at]
		}
		for f, who := range founder {
			if who == at {
				if strings.HasPrefix(item.Question, "Which firm") {
					return f
				}
				return made[f]
			}
		}
		return nil
	})
}
