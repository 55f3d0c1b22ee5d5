package corpus

// script is an event of the day: requests that fail from begin to end (minutes, inclusive), and what services
// and people log about it.
type script struct {
	begin, end string
	failures   [2]int // minimum and maximum of failed requests a minute
	method     string
	paths      []string
	statuses   []int
	ms         [2]int
	host       string // host of the requests; "" means any
	agent      string // user agent of the requests; "" means a customer's
	lines      []line
}

// line is logged at from and, if to is set, repeatedly until to. every is the interval in seconds.
type line struct {
	from, to string
	every    int
	level    string
	service  string
	host     string
	text     string
}

// scripts returns the incidents of the day and events that only look like incidents.
func scripts() []script {
	return append(incidents(), herrings()...)
}

func incidents() []script {
	return []script{
		{ // the nightly export fills the disk of the database
			begin: "02:41", end: "02:57", failures: [2]int{9, 16}, method: "POST", paths: []string{"/checkout"},
			statuses: []int{500}, ms: [2]int{40, 400},
			lines: []line{
				{
					from: "02:30:04", level: "INFO", service: "scheduler", host: "prod-1",
					text: "job nightly-export started: orders, full history (was: last 30 days), target /var/lib/pgsql/export",
				},
				{
					from: "02:37:41", level: "WARN", service: "orders-db", host: "prod-1",
					text: "filesystem /var/lib/pgsql 94% used",
				},
				{
					from: "02:40:12", level: "WARN", service: "orders-db", host: "prod-1",
					text: "filesystem /var/lib/pgsql 99% used",
				},
				{
					from: "02:40:58", to: "02:57:20", every: 23, level: "ERROR", service: "orders-db", host: "prod-1",
					text: "could not extend file base/16384/{24000-25999}: No space left on device",
				},
				{
					from: "02:41:03", to: "02:57:40", every: 11, level: "ERROR", service: "checkout",
					text: "order {410000-489999} not saved: insert failed: ERROR: could not extend file (SQLSTATE 53100)",
				},
				{
					from: "02:46:30", level: "INFO", service: "chatops", host: "ops",
					text: "@mira: checkout is red. northbank was slow again tonight, is it them?",
				},
				{
					from: "02:51:10", level: "INFO", service: "chatops", host: "ops",
					text: "@mira: not the bank. volume of the orders database is full, something writes to export/",
				},
				{
					from: "02:57:31", level: "INFO", service: "chatops", host: "ops",
					text: "@mira: killed nightly-export and removed its files, 41% used now",
				},
				{
					from: "02:58:02", level: "INFO", service: "orders-db", host: "prod-1",
					text: "filesystem /var/lib/pgsql 41% used",
				},
			},
		},
		{ // the certificate of the identity provider expires
			begin: "07:12", end: "07:25", failures: [2]int{11, 19}, method: "POST", paths: []string{"/login"},
			statuses: []int{503}, ms: [2]int{5, 60},
			lines: []line{
				{
					from: "06:00:01", level: "WARN", service: "auth", host: "prod-2",
					text: "certificate CN=idp.internal not renewed: acme order failed, 6 days in a row",
				},
				{
					from: "07:12:00", to: "07:25:50", every: 7, level: "ERROR", service: "auth",
					text: "token exchange with idp.internal failed: x509: certificate has expired or is not yet valid (not after 2026-03-17T07:11:59Z)",
				},
				{
					from: "07:16:44", level: "INFO", service: "chatops", host: "ops",
					text: "@jonas: logins fail since 07:12, nothing was deployed",
				},
				{
					from: "07:23:12", level: "INFO", service: "auth", host: "prod-2",
					text: "certificate CN=idp.internal issued by hand, not after 2026-06-15T07:20:00Z",
				},
				{
					from: "07:25:58", level: "INFO", service: "auth", host: "prod-2",
					text: "trust store reloaded, token exchange ok",
				},
			},
		},
		{ // a release of payments crashes on orders with a voucher
			begin: "11:03", end: "11:18", failures: [2]int{8, 14}, method: "POST", paths: []string{"/checkout"},
			statuses: []int{502, 502, 500}, ms: [2]int{20, 150},
			lines: []line{
				{
					from: "10:58:20", level: "INFO", service: "deploy-bot", host: "ci",
					text: "search 7.0.3 -> 7.0.4 rolled out to prod-1 prod-2 prod-3",
				},
				{
					from: "11:02:31", level: "INFO", service: "deploy-bot", host: "ci",
					text: "payments 3.13.2 -> 3.14.0 rolled out to prod-1 prod-2 prod-3",
				},
				{
					from: "11:03:02", to: "11:18:30", every: 19, level: "ERROR", service: "payments",
					text: "panic: runtime error: invalid memory address or nil pointer dereference [recovered] order={410000-489999}\n\tgoroutine 88 [running]:\n\tshop/payments/voucher.(*Book).Redeem(0x0, 0xc00041)\n\t\tvoucher/book.go:112\n\tshop/payments/capture.(*Flow).Run(0xc0001a, 0x4)\n\t\tcapture/flow.go:71",
				},
				{
					from: "11:09:15", level: "INFO", service: "chatops", host: "ops",
					text: "@mira: search was just deployed, rolling it back to be safe",
				},
				{
					from: "11:10:40", level: "INFO", service: "deploy-bot", host: "ci",
					text: "search 7.0.4 -> 7.0.3 rolled out to prod-1 prod-2 prod-3",
				},
				{
					from: "11:14:05", level: "INFO", service: "chatops", host: "ops",
					text: "@mira: no change. the traces are in payments/voucher",
				},
				{
					from: "11:18:33", level: "INFO", service: "deploy-bot", host: "ci",
					text: "payments 3.14.0 -> 3.13.2 rolled out to prod-1 prod-2 prod-3",
				},
			},
		},
		{ // a feature flag bypasses the cache and exhausts the connections of inventory
			begin: "15:33", end: "15:51", failures: [2]int{10, 18}, method: "GET",
			paths: []string{"/cart", "/products"}, statuses: []int{504}, ms: [2]int{9800, 10200},
			lines: []line{
				{
					from: "15:31:07", level: "INFO", service: "flags", host: "prod-1",
					text: "flag price-preview: 0% -> 100% of customers (by marketing)",
				},
				{
					from: "15:32:40", to: "15:51:20", every: 31, level: "DEBUG", service: "cache",
					text: "bypass price:{10000-99999} (price-preview), read through to inventory",
				},
				{
					from: "15:32:58", to: "15:51:40", every: 13, level: "ERROR", service: "inventory",
					text: "acquire connection: pool exhausted, 50/50 in use, {40-310} waiting",
				},
				{
					from: "15:38:21", level: "INFO", service: "chatops", host: "ops",
					text: "@jonas: timeouts on cart and products. restarting inventory on prod-2",
				},
				{from: "15:39:00", level: "INFO", service: "inventory", host: "prod-2", text: "starting, pool 0/50"},
				{
					from: "15:40:10", level: "INFO", service: "chatops", host: "ops",
					text: "@jonas: pool full again within a minute. who reads prices without the cache?",
				},
				{
					from: "15:51:44", level: "INFO", service: "flags", host: "prod-1",
					text: "flag price-preview: 100% -> 0% of customers (by jonas)",
				},
			},
		},
		{ // a push of the resolver's configuration drops a zone
			begin: "19:47", end: "20:04", failures: [2]int{12, 20}, method: "POST",
			paths: []string{"/checkout", "/cart"}, statuses: []int{502}, ms: [2]int{5000, 5100},
			lines: []line{
				{
					from: "19:46:22", level: "INFO", service: "dns", host: "prod-3",
					text: "configuration r882 loaded: 11 zones (was 12)",
				},
				{
					from: "19:46:50", to: "20:04:30", every: 17, level: "ERROR", service: "checkout",
					text: "dial payments.pay.internal: lookup payments.pay.internal on 10.0.0.2:53: no such host",
				},
				{
					from: "19:47:05", to: "20:04:30", every: 29, level: "ERROR", service: "cart",
					text: "dial vouchers.pay.internal: lookup vouchers.pay.internal on 10.0.0.2:53: no such host",
				},
				{
					from: "19:55:40", level: "INFO", service: "chatops", host: "ops",
					text: "@ines: payments itself is healthy, its own dashboard is green",
				},
				{
					from: "20:01:12", level: "INFO", service: "chatops", host: "ops",
					text: "@ines: zone pay.internal is gone since r882, reverting",
				},
				{
					from: "20:04:38", level: "INFO", service: "dns", host: "prod-3",
					text: "configuration r881 loaded: 12 zones (was 11)",
				},
			},
		},
	}
}

// herrings look like incidents at first glance: no customer is affected, or not for long enough, or the
// requests did not fail.
func herrings() []script {
	return []script{
		{ // a load test in staging
			begin: "05:00", end: "05:38", failures: [2]int{15, 30}, method: "POST", paths: []string{
				"/checkout", "/login",
			}, statuses: []int{500, 503}, ms: [2]int{900, 5000}, host: "staging-1",
			lines: []line{{
				from: "04:59:50", level: "INFO", service: "chatops", host: "ops",
				text: "@lee: load test against staging until 05:40, expect noise",
			}},
		},
		{ // the probe's own deep check is broken
			begin: "09:15", end: "09:31", failures: [2]int{6, 9}, method: "GET", paths: []string{"/healthz"},
			statuses: []int{503}, ms: [2]int{1, 9}, agent: "probe/1.4",
			lines: []line{{
				from: "09:31:40", level: "INFO", service: "chatops", host: "ops",
				text: "@lee: probe 1.4 asked for /healthz?deep=1 which we never had. fixed in the probe",
			}},
		},
		{ // failures for only two minutes
			begin: "13:20", end: "13:21", failures: [2]int{9, 13}, method: "GET", paths: []string{"/cart"},
			statuses: []int{500}, ms: [2]int{10, 90},
			lines: []line{
				{
					from: "13:19:58", level: "WARN", service: "cache", host: "prod-1",
					text: "primary lost, electing a new one",
				},
				{
					from: "13:21:49", level: "INFO", service: "cache", host: "prod-2",
					text: "promoted to primary, {20000-90000} keys warm",
				},
			},
		},
		{ // too few failures a minute
			begin: "17:05", end: "17:16", failures: [2]int{1, 2}, method: "GET", paths: []string{"/account/orders"},
			statuses: []int{500}, ms: [2]int{100, 300},
			lines: []line{{
				from: "17:05:10", to: "17:16:20", every: 47, level: "ERROR", service: "orders-db",
				host: "prod-3", text: "replica prod-3 {9-60}s behind, statement cancelled due to conflict with recovery",
			}},
		},
		{ // requests are refused, which is not a failure
			begin: "22:10", end: "22:24", failures: [2]int{12, 22}, method: "GET", paths: []string{"/search"},
			statuses: []int{429}, ms: [2]int{1, 3},
			lines: []line{
				{
					from: "22:09:31", level: "WARN", service: "gateway", host: "prod-1",
					text: "rate limit: 40 clients of one network over 20 requests/s, answering 429",
				},
				{
					from: "22:24:40", level: "INFO", service: "gateway", host: "prod-1",
					text: "rate limit: back to normal",
				},
			},
		},
		{ // an hour of errors without failed customer requests
			begin: "12:00", end: "12:00",
			lines: []line{{
				from: "12:02:00", to: "13:04:00", every: 9, level: "ERROR", service: "mailer",
				text: "smtp relay unreachable: connection refused, {100-2000} messages wait",
			}},
		},
		{ // a release that changes the gateway's log
			begin: "14:00", end: "14:00",
			lines: []line{
				{
					from: "14:03:50", level: "INFO", service: "deploy-bot", host: "ci",
					text: "gateway 2.8.6 -> 2.9.0 rolled out to prod-1 prod-2 prod-3 staging-1 (structured access log)",
				},
				{
					from: "20:31:00", level: "INFO", service: "deploy-bot", host: "ci",
					text: "payments 3.13.2 -> 3.14.1 rolled out to prod-1 prod-2 prod-3 (voucher fix)",
				},
			},
		},
	}
}
