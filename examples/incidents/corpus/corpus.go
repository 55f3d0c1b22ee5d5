// Package corpus makes the log of the incidents example: a day in the life of a shop, some 7 MB from a dozen
// services.
package corpus

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/demo"
)

// Question is the question about the log.
//
//go:embed question.txt
var Question string

// Replies is the recording for answering the question offline; empty if there is none.
//
//go:embed replies.jsonl
var Replies string

// Seed makes the log that Replies was recorded against.
const Seed = 17

// entry is one line (or a stack trace) of the log.
type entry struct {
	at   time.Duration // since midnight
	text string
}

// Log writes the day. The same seed yields the same bytes everywhere.
func Log(seed uint64) string {
	d := &day{dice: demo.NewDice(seed)}
	for minute := range 24 * 60 {
		d.traffic(minute)
		d.background(minute)
	}
	for _, s := range scripts() {
		d.play(s)
	}
	sort.SliceStable(d.entries, func(i, j int) bool { return d.entries[i].at < d.entries[j].at })
	var b strings.Builder
	for _, e := range d.entries {
		b.WriteString(e.text)
		b.WriteByte('\n')
	}
	return b.String()
}

type day struct {
	dice    *demo.Dice
	entries []entry
}

var midnight = time.Date(2026, time.March, 17, 0, 0, 0, 0, time.UTC)

func stamp(at time.Duration) string { return midnight.Add(at).Format("2006-01-02T15:04:05.000Z") }

func (d *day) moment(minute int) time.Duration {
	return time.Duration(minute)*time.Minute + time.Duration(d.dice.N(60_000))*time.Millisecond
}

// add logs a line. Collectors are a little late, so lines of different services are not strictly in order.
func (d *day) add(at time.Duration, text string) {
	d.entries = append(d.entries, entry{at + time.Duration(d.dice.N(1500))*time.Millisecond, text})
}

func (d *day) log(at time.Duration, level, service, host, message string) {
	d.add(at, fmt.Sprintf("%s %-5s %s[%s] %s", stamp(at), level, service, host, message))
}

// jsonFrom is when the gateway's new release starts to log JSON.
const jsonFrom = 14*time.Hour + 5*time.Minute

// request logs one request at the gateway.
func (d *day) request(at time.Duration, host, method, path string, status, ms int, agent string) {
	id := fmt.Sprintf("%08x", d.dice.N(1<<32))
	if at < jsonFrom {
		level := "INFO"
		if status >= 500 {
			level = "ERROR"
		}
		d.log(at, level, "gateway", host,
			fmt.Sprintf("req=%s %s %s %d %dms ua=%s", id, method, path, status, ms, agent))
		return
	}
	level := "info"
	if status >= 500 {
		level = "error"
	}
	d.add(at, fmt.Sprintf(`{"ts":%q,"level":%q,"svc":"gateway","host":%q,"req":%q,"method":%q,"path":%q,"status":%d,"ms":%d,"ua":%q}`,
		stamp(at), level, host, id, method, path, status, ms, agent))
}

var (
	paths = []struct{ method, path string }{
		{"GET", "/products"},
		{"GET", "/products"},
		{"GET", "/products"},
		{"GET", "/search"},
		{"GET", "/search"},
		{"GET", "/cart"},
		{"POST", "/cart"},
		{"POST", "/checkout"},
		{"POST", "/login"},
		{"GET", "/account/orders"},
	}
	agents = []string{"web/5.2", "web/5.2", "web/5.1", "ios/8.4", "android/8.3", "android/8.4"}
	hosts  = []string{"prod-1", "prod-2", "prod-3"}
)

// traffic writes the requests of customers in a minute, more by day than by night, and those of a probe that runs
// every minute.
func (d *day) traffic(minute int) {
	hour := minute / 60
	low, high := 9, 15
	if hour >= 7 && hour < 23 {
		low, high = 18, 28
	}
	for range d.dice.Between(low, high) {
		p := demo.Pick(d.dice, paths)
		status, ms := 200, d.dice.Between(8, 240)
		switch roll := d.dice.N(1000); {
		case roll < 12:
			status = demo.Pick(d.dice, []int{400, 401, 404, 404, 429})
		case roll < 14:
			status, ms = demo.Pick(d.dice, []int{500, 502}), d.dice.Between(300, 2000)
		}
		d.request(d.moment(minute), demo.Pick(d.dice, hosts), p.method, p.path, status, ms, demo.Pick(d.dice, agents))
	}
	for _, host := range hosts {
		if d.dice.Chance(40) {
			d.request(d.moment(minute), host, "GET", "/healthz", 200, d.dice.Between(1, 4), "probe/1.4")
		}
	}
}
