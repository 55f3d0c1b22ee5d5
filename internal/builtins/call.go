package builtins

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
)

// CallOptions are the contents of Call.Options for llm_query. A zero field means the run's configuration.
type CallOptions struct {
	Model       string   `json:"model,omitempty"`
	System      string   `json:"system,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	// Memo allows an identical earlier call of the run to answer this one.
	Memo bool `json:"memo,omitempty"`
	// Format asks for a reply that follows a JSON schema. The prompt repeats the schema, for endpoints that cannot
	// enforce one.
	Format *Format `json:"format,omitempty"`
}

// Format names a JSON schema.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Option changes one sub-call. Cells make options with Model, System, Temperature, MaxTokens, Memo and Source.
type Option struct {
	apply func(*CallOptions) error
	text  string
	parts []string // the parts of the context that the prompt was made from
}

// String shows the option as a cell writes it.
func (o Option) String() string { return o.text }

// encode applies opts in order and renders the result; without any options it returns nothing.
func encode(opts []Option, format *Format) (json.RawMessage, error) {
	o := CallOptions{Format: format}
	for _, opt := range opts {
		if opt.apply == nil {
			continue
		}
		if err := opt.apply(&o); err != nil {
			return nil, err
		}
	}
	if format == nil && o == (CallOptions{}) {
		return nil, nil
	}
	return json.Marshal(o)
}

// inFlight bounds the calls of one batch that wait in the host. It exceeds any useful concurrency of a run, so
// that the host always has the next call ready, and is far below what a host would reject.
const inFlight = 128

// failed returns the error that a cell recovers if a builtin fails.
func failed(name, format string, args ...any) error {
	return fmt.Errorf("%s: %w", name, fmt.Errorf(format, args...))
}

// one makes a single call. It panics if the call failed, and unwinds the cell if no more calls will be answered.
func (m *factory) one(site *repl.Site, name string, c Call) []byte {
	reply, err := m.host.Call(site.Context, c)
	if err == nil {
		return reply
	}
	if errors.Is(err, ErrUnwind) || site.Context.Err() != nil {
		unwind(site, err)
	}
	panic(failed(name, "%w", err))
}

// many makes n concurrent calls and returns their replies and errors in order. It unwinds if the cell was
// cancelled, or if the budget is gone and not one of the calls was answered. If the budget runs out during a batch,
// the batch keeps the replies that were paid for.
func (m *factory) many(site *repl.Site, n int, call func(i int) Call) ([][]byte, []error) {
	replies, errs := m.all(site, n, call)
	if n > 0 && !slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, ErrUnwind) }) {
		unwind(site, errs[0])
	}
	return replies, errs
}

// all is many, except that a used-up budget does not end the cell.
func (m *factory) all(site *repl.Site, n int, call func(i int) Call) ([][]byte, []error) {
	replies, errs := make([][]byte, n), make([]error, n)
	id := int(m.batches.Add(1))
	slots := make(chan struct{}, inFlight)
	var calls sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-slots }()
			c := call(i)
			c.Batch = Batch{ID: id, Index: i, Size: n}
			replies[i], errs[i] = m.host.Call(site.Context, c)
		})
	}
	calls.Wait()
	if err := site.Context.Err(); err != nil {
		unwind(site, err)
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return errors.Is(err, ErrAstray) }); i >= 0 {
		unwind(site, errs[i])
	}
	return replies, errs
}

// unwind ends the cell; it does not return.
func unwind(site *repl.Site, err error) {
	kind := cellerror.BudgetExceeded
	if site.Context.Err() != nil {
		kind = cellerror.Cancelled
	}
	site.Unwind(kind, reason(err))
}

// reason returns err in words for the model, without the prefix of ErrUnwind.
func reason(err error) string {
	if u, ok := err.(*replyError); ok {
		return u.reason()
	}
	return strings.TrimPrefix(err.Error(), ErrUnwind.Error()+": ")
}

// noteFailures adds one line to the observation that lists the failed indices, grouped by reason. Reasons that
// differ only in sizes form one group, with the range of the sizes.
func noteFailures(site *repl.Site, name string, errs []error) {
	var reasons []string
	indices := map[string][]string{}
	ranges := map[string][]sizeRange{}
	failures := 0
	for i, err := range errs {
		if err == nil {
			continue
		}
		failures++
		why, sizes := withoutSizes(reason(err))
		ranges[why] = widen(ranges[why], sizes)
		if _, seen := indices[why]; !seen {
			reasons = append(reasons, why)
		}
		indices[why] = append(indices[why], fmt.Sprint(i))
	}
	if failures == 0 {
		return
	}
	parts := make([]string, len(reasons))
	for i, why := range reasons {
		parts[i] = fmt.Sprintf("index %s: %s", shorten(indices[why]), text.Line(withSizes(why, ranges[why]), 300))
	}
	site.Note(fmt.Sprintf("%s: %d of %s failed (%s)", name, failures, units.Of(len(errs), "prompt"),
		strings.Join(parts, "; ")))
}

// size matches a number with its unit.
var size = startup.Regexp(`\b(\d+) (characters|bytes|tokens|lines|words)\b`)

// noSize stands for a size that was cut out.
const noSize = "\x00"

type sizeRange struct{ least, most int }

// withoutSizes cuts the sizes out of a reason.
func withoutSizes(why string) (rest string, sizes []sizeRange) {
	rest = size().ReplaceAllStringFunc(strings.ReplaceAll(why, noSize, ""), func(s string) string {
		digits, unit, _ := strings.Cut(s, " ")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return s
		}
		sizes = append(sizes, sizeRange{n, n})
		return noSize + " " + unit
	})
	return rest, sizes
}

// widen extends ranges to include sizes; both belong to the same reason.
func widen(ranges, sizes []sizeRange) []sizeRange {
	if ranges == nil {
		return sizes
	}
	for i, s := range sizes {
		ranges[i] = sizeRange{min(ranges[i].least, s.least), max(ranges[i].most, s.most)}
	}
	return ranges
}

// withSizes puts ranges where the sizes were.
func withSizes(rest string, ranges []sizeRange) string {
	for _, r := range ranges {
		text := strconv.Itoa(r.least)
		if r.most > r.least {
			text += " to " + strconv.Itoa(r.most)
		}
		rest = strings.Replace(rest, noSize, text, 1)
	}
	return rest
}

// shorten joins the first 20 indices and counts the rest.
func shorten(indices []string) string {
	if len(indices) > 20 {
		return strings.Join(indices[:20], ", ") + fmt.Sprintf(" and %d more", len(indices)-20)
	}
	return strings.Join(indices, ", ")
}
