package llm

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// longestWait caps the waits that endpoints ask for; it is longer than any call lasts.
const longestWait = 24 * time.Hour

// retryAfter reads how long an endpoint asks to wait: Retry-After in seconds or as a date, or OpenAI's
// retry-after-ms.
func retryAfter(h http.Header) (time.Duration, bool) {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if wait, ok := waitOf(h.Get(name), time.Millisecond); ok {
			return wait, true
		}
	}
	value := h.Get("Retry-After")
	if wait, ok := waitOf(value, time.Second); ok {
		return wait, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(0, time.Until(date)), longestWait), true
	}
	if wait := spelled(value); wait > 0 {
		return wait, true
	}
	return 0, false
}

// headerWait is the wait of retryAfter, or else the time until the used-up limit resets, as OpenAI, Groq,
// Anthropic, OpenRouter and others send it.
func headerWait(h http.Header) (wait time.Duration) {
	if wait, ok := retryAfter(h); ok {
		return wait
	}
	for _, m := range usedUp().FindAllStringSubmatch(strings.Join(h.Values("Ratelimit"), ","), -1) {
		in, _ := waitOf(m[1], time.Second)
		wait = max(wait, in)
	}
	for name := range h {
		what, is := strings.CutPrefix(strings.ToLower(name), "x-ratelimit-remaining")
		reset := "X-Ratelimit-Reset" + what
		if !is {
			what, is = strings.CutSuffix(strings.ToLower(name), "-remaining")
			reset = what + "-Reset"
		}
		if !is || !strings.Contains(strings.ToLower(name), "ratelimit") {
			continue
		}
		if strings.TrimSpace(h.Get(name)) != "0" {
			continue
		}
		wait = max(wait, resetIn(h.Get(reset)))
	}
	return wait
}

// usedUp finds a limit with nothing left, and its reset time, in the header RateLimit of the IETF drafts.
var usedUp = startup.Regexp(`\b(?:r|remaining)\s*=\s*0\b[^"]*?\b(?:t|reset)\s*=\s*(\d+)`)

// resetIn reads when a limit resets: a duration, a time, seconds, or a time as seconds or milliseconds since 1970.
func resetIn(value string) time.Duration {
	at, err := time.Parse(time.RFC3339, value)
	n, notNumber := strconv.ParseFloat(strings.TrimSpace(value), 64)
	switch {
	case err == nil:
	case notNumber != nil:
		return spelled(value)
	case n > 1e11:
		at = time.UnixMilli(int64(n))
	case n > 1e9:
		at = time.Unix(int64(n), 0)
	default:
		wait, _ := waitOf(value, time.Second)
		return wait
	}
	return min(max(0, time.Until(at)), longestWait)
}

// waitOf reads a number of units. A number that is too large means longestWait, not 0.
func waitOf(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(n >= 0) { // false for NaN too
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(longestWait))), true
}

var (
	waitWords = startup.Regexp(
		`(?i)(?:again|retry|retrying|wait|reset|resets|available|back|backoff)\b[^.\d]{0,40}?\b` +
			`(\d[\d.]*\s*[a-z]+(?:[\s,]*(?:and\s+)?\d[\d.]*\s*[a-z]+)*)`)
	waitParts = startup.Regexp(
		`(?i)(\d+(?:\.\d+)?)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b`)
	glued = startup.Regexp(`([a-zA-Z])(\d)`)
)

// waitIn reads the wait that a message asks for, 0 if none: "Please try again in 6m0.5s", "retry after 20
// seconds".
func waitIn(message string) time.Duration {
	if m := waitWords().FindStringSubmatch(message); m != nil {
		return spelled(m[1])
	}
	return 0
}

// spelled parses a duration as people and endpoints write it. It returns 0 if text is not a duration.
func spelled(text string) (sum time.Duration) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	for _, m := range waitParts().FindAllStringSubmatch(glued().ReplaceAllString(text, "$1 $2"), -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		name := strings.ToLower(m[2])
		unit := units[name[0]]
		if strings.HasPrefix(name, "ms") || strings.HasPrefix(name, "milli") {
			unit = time.Millisecond
		}
		sum += time.Duration(min(n*float64(unit), float64(longestWait)))
	}
	return min(sum, longestWait)
}
