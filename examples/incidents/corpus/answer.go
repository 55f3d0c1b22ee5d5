package corpus

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// Incident is a period in which requests of customers failed.
type Incident struct {
	Begin, End string // first and last minute, "15:04"
	Failed     int    // failed requests from Begin to End
	// Cause matches any correct description of the cause.
	Cause *regexp.Regexp
}

var (
	plain  = startup.Regexp(`^2026-03-17T(\d\d:\d\d)\S+ \S+ +gateway\[(prod-\d)\] req=\S+ \S+ \S+ (\d{3}) \S+ ua=(\S+)$`)
	asJSON = startup.Regexp(`^\{"ts":"2026-03-17T(\d\d:\d\d)[^"]*","level":"[^"]*","svc":"gateway","host":"(prod-\d)",.*"status":(\d{3}),.*"ua":"([^"]*)"\}$`)
	causes = []func() *regexp.Regexp{
		startup.Regexp(`(?i)disk|space|volume|export|filesystem`),
		startup.Regexp(`(?i)certificate|x509|expired`),
		startup.Regexp(`(?i)payments.*(3\.14|release|deploy|nil|voucher)|(3\.14|release|deploy|nil|voucher).*payments`),
		startup.Regexp(`(?i)flag|price-preview|pool|connections`),
		startup.Regexp(`(?i)dns|zone|resolver|r882|lookup`),
	}
)

// Incidents finds the incidents by reading the log line by line, by the definition in the question: at least
// three minutes in a row with at least five failed requests of customers each. The causes are predefined, since
// finding them takes a reader.
func Incidents(log string) []Incident {
	failed := make([]int, 24*60)
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "gateway") {
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		m := plain().FindStringSubmatch(line)
		if m == nil {
			m = asJSON().FindStringSubmatch(line)
		}
		if m == nil || m[3] < "500" || strings.HasPrefix(m[4], "probe/") {
			continue
		}
		failed[minuteOf(m[1])]++
	}
	var out []Incident
	for from := 0; from < len(failed); {
		to, sum := from, 0
		for to < len(failed) && failed[to] >= 5 {
			sum += failed[to]
			to++
		}
		if to-from >= 3 {
			found := Incident{Begin: clockOf(from), End: clockOf(to - 1), Failed: sum}
			if len(out) < len(causes) {
				found.Cause = causes[len(out)]()
			}
			out = append(out, found)
		}
		from = to + 1
	}
	return out
}

func minuteOf(clock string) int {
	h, _ := strconv.Atoi(clock[:2])
	m, _ := strconv.Atoi(clock[3:])
	return 60*h + m
}

func clockOf(minute int) string {
	two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
	return two(minute/60) + ":" + two(minute%60)
}

var answerLine = startup.Regexp(`(\d\d:\d\d)\s*[-–—]\s*(\d\d:\d\d)\W+(\d+)\s+failed requests?\W+(.+)`)

// right returns the incidents of the log, which takes a second to make and read.
var right = sync.OnceValue(func() []Incident { return Incidents(Log(Seed)) })

// Check compares an answer with the log and lists its errors.
func Check(answer string) (problems []string) {
	want := right()
	got := answerLine().FindAllStringSubmatch(answer, -1)
	if len(got) != len(want) {
		problems = append(problems,
			strconv.Itoa(len(got))+" incidents in the answer, "+strconv.Itoa(len(want))+" in the log")
	}
	for i, w := range want {
		if i >= len(got) {
			break
		}
		g := got[i]
		if g[1] != w.Begin || g[2] != w.End || g[3] != strconv.Itoa(w.Failed) {
			problems = append(problems, "line "+strconv.Itoa(i+1)+": "+g[0]+"; the log says "+w.Begin+"-"+w.End+", "+
				strconv.Itoa(w.Failed)+" failed requests")
		}
		if !w.Cause.MatchString(g[4]) {
			problems = append(problems, "line "+strconv.Itoa(i+1)+": the cause is not "+strconv.Quote(g[4]))
		}
	}
	return problems
}
