package suite

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// tables counts and sums over realistic, untidy data: columns in another order in each file, amounts and dates in
// several forms, duplicate lines, remarks in between.
func tables() Suite {
	return Suite{
		Name:  "tables",
		About: "sums and counts over untidy tables and logs",
		kinds: []kind{
			{"sum of a region", func(r *rand.Rand, length int) Item { return ordersItem(r, length, sumOfRegion) }},
			{"best customer", func(r *rand.Rand, length int) Item { return ordersItem(r, length, bestCustomer) }},
			{"orders of a month", func(r *rand.Rand, length int) Item { return ordersItem(r, length, ordersOfMonth) }},
			{"errors of a service", func(r *rand.Rand, length int) Item { return logItem(r, length, errorsOf) }},
			{"slowest request", func(r *rand.Rand, length int) Item { return logItem(r, length, slowest) }},
			{"users with errors", func(r *rand.Rand, length int) Item { return logItem(r, length, usersWithErrors) }},
		},
	}
}

// order is a row of the tables.
type order struct {
	id, customer, region string
	day                  time.Time
	cents                int
	cancelled            bool
}

var regions = []string{"North", "South", "East", "West", "Centre"}

// orders returns files of orders with about length tokens in all, and the orders in them, each once.
func orders(r *rand.Rand, length int) (files []Document, all []order) {
	customers := make([]string, 12+length/20_000)
	for i := range customers {
		customers[i] = prose{r}.person()
	}
	slices.Sort(customers)
	customers = slices.Compact(customers)
	var month []string
	var columns []int
	begin := func() {
		columns = r.Perm(6)
		month = []string{row(columns, [6]string{"order", "customer", "region", "date", "amount", "status"})}
	}
	end := func() {
		files = append(files, Document{fmt.Sprintf("orders-%02d.csv", len(files)+1), strings.Join(month, "\n") + "\n"})
	}
	begin()
	fill(length, func() string {
		o := order{
			id: fmt.Sprintf("A-%06d", 100_000+len(all)*7+r.IntN(7)), customer: pick(r, customers),
			region: pick(r, regions),
			day:    time.Date(2024, time.January, 1+r.IntN(366), 0, 0, 0, 0, time.UTC),
			cents:  100 + r.IntN(500_000), cancelled: r.IntN(8) == 0,
		}
		all = append(all, o)
		text := o.row(r, columns)
		month = append(month, text)
		switch r.IntN(12) {
		case 0:
			again := o.row(r, columns) // the same order written differently
			month = append(month, again)
			text += again
		case 1:
			month = append(month, "# "+prose{r}.sentence())
		}
		if len(month) > 400 {
			end()
			begin()
		}
		return text
	})
	end()
	return files, all
}

// row returns a line of a table with its columns in the given order.
func row(columns []int, cells [6]string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = cells[c]
		if strings.ContainsAny(out[i], ",\"") {
			out[i] = `"` + out[i] + `"`
		}
	}
	return strings.Join(out, ",")
}

func (o order) row(r *rand.Rand, columns []int) string {
	amount := fmt.Sprintf("%d.%02d", o.cents/100, o.cents%100)
	switch r.IntN(4) {
	case 0:
		amount = "EUR " + amount
	case 1:
		if o.cents >= 100_000 {
			amount = fmt.Sprintf("%d,%03d.%02d", o.cents/100_000, o.cents/100%1000, o.cents%100)
		}
	case 2:
		amount += " €"
	}
	date := o.day.Format([]string{"2006-01-02", "2 Jan 2006", "January 2, 2006", "2006/01/02"}[r.IntN(4)])
	status := []string{"paid", "shipped", "PAID", "open"}[r.IntN(4)]
	if o.cancelled {
		status = []string{"cancelled", "CANCELLED", "Cancelled"}[r.IntN(3)]
	}
	region := o.region
	if r.IntN(3) == 0 {
		region = strings.ToUpper(region)
	}
	return row(columns, [6]string{o.id, o.customer, region, date, amount, status})
}

const orderRules = "Some orders stand in the files more than once, under the same number: count each once. Cancelled orders do not count. "

func ordersItem(r *rand.Rand, length int, ask func(*rand.Rand, []order) Item) Item {
	files, all := orders(r, length)
	item := ask(r, slices.DeleteFunc(all, func(o order) bool { return o.cancelled }))
	item.Question = orderRules + item.Question
	item.Documents = files
	return item
}

// money returns an item whose answer is an amount in cents.
func money(cents int) Item {
	return Item{Answer: right(map[string]float64{"value": float64(cents) / 100, "within": 0.005}), Scorer: "number"}
}

func sumOfRegion(r *rand.Rand, all []order) Item {
	region, sum := pick(r, regions), 0
	for _, o := range all {
		if o.region == region {
			sum += o.cents
		}
	}
	item := money(sum)
	item.Question = fmt.Sprintf(
		"What is the total amount in euros of all orders from the region %s? Answer with the number alone, with two decimals.", region)
	return item
}

func bestCustomer(_ *rand.Rand, all []order) Item {
	sums := map[string]int{}
	for _, o := range all {
		sums[o.customer] += o.cents
	}
	names := slices.Sorted(maps.Keys(sums))
	best := slices.MaxFunc(names, func(a, b string) int { return sums[a] - sums[b] })
	return Item{
		Question: "Which customer's orders come to the largest total amount? Answer with the name alone.",
		Answer:   right(best), Scorer: "exact",
	}
}

func ordersOfMonth(r *rand.Rand, all []order) Item {
	month, n := time.Month(1+r.IntN(12)), 0
	for _, o := range all {
		if o.day.Month() == month {
			n++
		}
	}
	return Item{
		Question: fmt.Sprintf("How many orders are dated in %s 2024? Answer with the number alone.", month),
		Answer:   right(n), Scorer: "number",
	}
}

// request is a line of the logs.
type request struct {
	at       time.Time
	service  string
	user, ms int
	status   int
	id       string
}

var services = []string{"auth", "billing", "catalogue", "delivery", "search", "wallet"}

func (q request) line(r *rand.Rand) string {
	stamp := q.at.Format(time.RFC3339)
	switch r.IntN(3) {
	case 0:
		return fmt.Sprintf(`{"time":%q,"service":%q,"user":"u%d","status":%d,"duration_ms":%d,"request":%q}`, stamp,
			q.service, q.user, q.status, q.ms, q.id)
	case 1:
		return fmt.Sprintf("%s %s[%s]: user=u%d status=%d took=%d.%03ds", stamp, q.service, q.id, q.user, q.status,
			q.ms/1000, q.ms%1000)
	}
	return fmt.Sprintf("%s service=%s req=%s u%d -> %d (%d ms)", stamp, q.service, q.id, q.user, q.status, q.ms)
}

func requests(r *rand.Rand, length int) (text string, all []request) {
	at := time.Date(2025, time.March, 3, 6, 0, 0, 0, time.UTC)
	pieces := fill(length, func() string {
		at = at.Add(time.Duration(r.IntN(4000)) * time.Millisecond)
		if r.IntN(15) == 0 {
			return at.Format(time.RFC3339) + " " + pick(r, services) + ": " + pick(r,
				[]string{"cache was emptied", "error budget is fine", "status 500 page rebuilt", "user list reloaded"})
		}
		q := request{
			at.Truncate(time.Second), pick(r, services), 100 + r.IntN(400), 1 + r.IntN(9000), 200,
			fmt.Sprintf("%08x", r.Uint32()),
		}
		switch r.IntN(10) {
		case 0:
			q.status = pick(r, []int{500, 502, 503})
		case 1:
			q.status = pick(r, []int{400, 404, 429})
		}
		all = append(all, q)
		return q.line(r)
	})
	return strings.Join(pieces, "\n") + "\n", all
}

func logItem(r *rand.Rand, length int, ask func(*rand.Rand, []request) (Item, bool)) Item {
	for {
		text, all := requests(r, length)
		if item, ok := ask(r, all); ok {
			item.Documents = one("requests.log", text)
			return item
		}
	}
}

func errorsOf(r *rand.Rand, all []request) (Item, bool) {
	service, n := pick(r, services), 0
	for _, q := range all {
		if q.service == service && q.status >= 500 {
			n++
		}
	}
	return Item{
		Question: fmt.Sprintf("How many requests to the service %s ended with a status of 500 or above? Answer with the number alone.", service),
		Answer:   right(n), Scorer: "number",
	}, true
}

func slowest(r *rand.Rand, all []request) (Item, bool) {
	service := pick(r, services)
	var best request
	twice := false
	for _, q := range all {
		switch {
		case q.service != service:
		case q.ms > best.ms:
			best, twice = q, false
		case q.ms == best.ms:
			twice = true
		}
	}
	return Item{
		Question: fmt.Sprintf("Which request to the service %s took longest? Answer with its request id alone (eight hexadecimal digits).", service),
		Answer:   right(best.id), Scorer: "exact",
	}, best.ms > 0 && !twice
}

func usersWithErrors(r *rand.Rand, all []request) (Item, bool) {
	service, users := pick(r, services), map[int]int{}
	for _, q := range all {
		if q.service == service && q.status >= 500 {
			users[q.user]++
		}
	}
	names := []string{}
	times := 0
	for times == 0 || len(names) > 20 {
		times++
		names = names[:0]
		for u, n := range users {
			if n >= times {
				names = append(names, fmt.Sprintf("u%d", u))
			}
		}
	}
	slices.Sort(names)
	return Item{
		Question: fmt.Sprintf("Which users had %d or more requests to the service %s that ended with a status of 500 or above? List them with commas between.", times, service),
		Answer:   right(names), Scorer: "set",
	}, len(names) > 0
}
