package corpus

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/demo"
)

// chatter is what services log all day. Some lines look bad but are harmless.
var chatter = []struct {
	weight                 int
	level, service, format string
}{
	{9, "INFO", "checkout", "order {410000-489999} accepted, {1-7} items, handed to payments"},
	{8, "INFO", "payments", "capture ok order={410000-489999} provider=northbank amount={4-480}.{10-99} EUR"},
	{7, "INFO", "cart", "cart {70000-99999} updated, {1-9} lines"},
	{8, "DEBUG", "inventory", "reservation {300000-399999} confirmed in {3-60}ms, pool {4-31}/50"},
	{6, "INFO", "auth", "session issued user={1000-48000} ttl=3600s"},
	{5, "DEBUG", "search", "query took {4-180}ms, {0-900} hits, shard {0-5}"},
	{4, "INFO", "orders-db", "checkpoint complete: wrote {200-4000} buffers ({1-9}.{0-9}%)"},
	{3, "DEBUG", "cache", "evicted {2-700} keys, hit rate 9{1-7}.{0-9}%"},
	{3, "INFO", "mailer", "sent order confirmation {410000-489999} to queue, backlog {0-20}"},
	{2, "WARN", "payments", "provider northbank answered after {2100-4800}ms, retry 1 of 3 succeeded"},
	{2, "WARN", "inventory", "slow query ({500-1900}ms): SELECT qty FROM stock WHERE sku = $1"},
	{1, "WARN", "search", "shard {0-5} lagging {2-40}s behind, serving stale results"},
	{1, "ERROR", "mailer", "smtp 421 from relay {1-4}, message requeued"},
	{1, "WARN", "auth", "rejected login user={1000-48000}: wrong password, attempt {1-4}"},
	{1, "INFO", "scheduler", "job price-feed finished in {2-50}s, {1000-90000} rows"},
	{1, "WARN", "cart", "optimistic lock failed on cart {70000-99999}, retried"},
	{1, "DEBUG", "dns", "reloaded zone internal. serial {2026031700-2026031799}"},
}

// background writes the chatter of a minute.
func (d *day) background(minute int) {
	total := 0
	for _, c := range chatter {
		total += c.weight
	}
	for range d.dice.Between(14, 26) {
		roll := d.dice.N(total)
		for _, c := range chatter {
			if roll -= c.weight; roll < 0 {
				d.log(d.moment(minute), c.level, c.service, demo.Pick(d.dice, hosts), d.fill(c.format))
				break
			}
		}
	}
	if minute%15 == 7 {
		d.log(d.moment(minute), "INFO", "cache", demo.Pick(d.dice, hosts),
			fmt.Sprintf("gc pause %dms", d.dice.Between(3, 40)))
	}
}

// fill replaces each {low-high} in a format by a number in that range.
func (d *day) fill(format string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(format, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		bounds, after, _ := strings.Cut(rest, "}")
		low, high, _ := strings.Cut(bounds, "-")
		from, _ := strconv.Atoi(low)
		to, _ := strconv.Atoi(high)
		b.WriteString(strconv.Itoa(d.dice.Between(from, to)))
		format = after
	}
}

// play writes the events of a script.
func (d *day) play(s script) {
	begin, end := clock(s.begin), clock(s.end)
	if s.failures[1] > 0 {
		for minute := int(begin / time.Minute); minute <= int(end/time.Minute); minute++ {
			for range d.dice.Between(s.failures[0], s.failures[1]) {
				host := demo.Pick(d.dice, hosts)
				if s.host != "" {
					host = s.host
				}
				agent := demo.Pick(d.dice, agents)
				if s.agent != "" {
					agent = s.agent
				}
				d.request(d.moment(minute), host, s.method, demo.Pick(d.dice, s.paths), demo.Pick(d.dice, s.statuses),
					d.dice.Between(s.ms[0], s.ms[1]), agent)
			}
		}
	}
	for _, l := range s.lines {
		from, to := clock(l.from), clock(l.from)
		if l.to != "" {
			to = clock(l.to)
		}
		for at := from; at <= to; at += time.Duration(max(l.every, 1)) * time.Second {
			host := l.host
			if host == "" {
				host = demo.Pick(d.dice, hosts)
			}
			d.log(at+time.Duration(d.dice.N(900))*time.Millisecond, l.level, l.service, host, d.fill(l.text))
			if l.to == "" {
				break
			}
		}
	}
}

// clock parses a time of day, "15:04" or "15:04:05".
func clock(s string) time.Duration {
	layout := "15:04:05"
	if len(s) == 5 {
		layout = "15:04"
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		panic(err) // the scripts are constants
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
		time.Duration(t.Second())*time.Second
}
