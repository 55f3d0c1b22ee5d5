package runner

import (
	"fmt"
	"strconv"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/llm"
)

// Shares of a window: a cell's output takes about a sixth, the outputs of a turn twice that. Even for digits, which
// have the fewest characters per token, this is less than half.
const (
	outputPerToken = 0.5 // bytes of a cell's output for each token of the window
	leastOutput    = 500 // least bytes of a useful output
	leastMessage   = 200 // least bytes left of a message that is cut for a summary
)

// window is the context window of the model of a run at a depth, in tokens, 0 if not known.
func (c config) window(depth int) int64 {
	switch {
	case depth > 0:
		return windowOf(c.sub, c.SubWindow)
	default:
		return windowOf(c.model, c.Window)
	}
}

// windowOf is a model's window in tokens, as set or else as known.
func windowOf(m llm.Model, set int64) int64 {
	if set > 0 {
		return set
	}
	return llm.FactsOf(m).Window
}

// smallWindow is the window in tokens below which the short prompt is better, and smallModel the corresponding
// model size.
const (
	smallWindow = 16_000
	smallModel  = 9 // billions of parameters
)

// words returns the templates for the model of a run at a depth: as set, or else the short ones for small windows
// and models.
func (c config) words(depth int) prompts.Variant {
	m, window := c.model, c.window(depth)
	if depth > 0 {
		m = c.sub
	}
	if c.Prompts != nil || (window <= 0 || window >= smallWindow) && !isSmall(m.Name()) {
		return c.Prompts
	}
	short, err := prompts.Named(prompts.Short)
	if err != nil { // the template is embedded, so it cannot be missing
		return nil
	}
	return short
}

// parameters matches the parameter count in a model's name: "llama3.2:3b", "Qwen2.5-7B-Instruct", "30b-a3b", in
// which the first counts.
var parameters = startup.Regexp(`(?i)(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d+)?)b(?:[^a-z0-9]|$)`)

// isSmall reports whether a model's name states a small size.
func isSmall(name string) bool {
	m := parameters().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	size, err := strconv.ParseFloat(m[1], 64)
	return err == nil && size < smallModel
}

// capacity is how many characters of ordinary text fit into a window, for prompts and errors.
func capacity(window int64) int64 { return window * 7 / 2 }

// cellOutput is how many bytes of a cell's output the model of a run at a depth sees: as set, or else by its
// window.
func (c config) cellOutput(depth int) int {
	usual := c.Limits.WithDefaults().Output
	if window := c.window(depth); c.Limits.Output <= 0 && window > 0 {
		return max(leastOutput, min(usual, int(outputPerToken*float64(min(window, 1<<30)))))
	}
	return usual
}

// turnOutput bounds, in bytes, all outputs of a turn's cells together; it is at least the bound for one cell, or 0
// if the window is not known.
func (c config) turnOutput(depth int) int {
	window := c.window(depth)
	if window <= 0 {
		return 0
	}
	return max(c.Limits.Output, 2*leastOutput, int(2*outputPerToken*float64(min(window, 1<<30))))
}

// fitOutputs cuts the longest outputs and values of a turn until all of them together have at most limit bytes.
func fitOutputs(cells []observation.Cell, limit int) {
	var parts []*string
	for i := range cells {
		parts = append(parts, &cells[i].Output, &cells[i].Value, &cells[i].Error)
	}
	fitTexts(parts, limit)
}

// fitTexts cuts the longest of several texts until all together have at most limit bytes; 0 is no limit.
func fitTexts(parts []*string, limit int) {
	if limit <= 0 {
		return
	}
	all := func(each int) (n int) {
		for _, p := range parts {
			n += min(len(*p), each)
		}
		return n
	}
	if all(limit) <= limit && longest(parts) <= limit {
		return
	}
	each := largest(0, limit, func(each int) bool { return all(each) <= limit })
	for _, p := range parts {
		*p = middleOut(*p, each)
	}
}

func longest(parts []*string) (n int) {
	for _, p := range parts {
		n = max(n, len(*p))
	}
	return n
}

// largest returns the largest number from low to high that fits, or low if none does.
func largest(low, high int, fits func(int) bool) int {
	for low < high {
		middle := low + (high-low+1)/2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// middleOut cuts the middle out of a text, so that at most limit bytes are left. The mark in its place is not
// counted.
func middleOut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := text.Ends(s, limit)
	return fmt.Sprintf("%s\n[… %d bytes cut out here …]\n%s", head, len(s)-len(head)-len(tail), tail)
}

// fitMessages makes a conversation fit into room tokens: it cuts the middles of the longest messages after the
// first two, and if that is not enough, drops the oldest of them. messages is not changed.
func fitMessages(messages []llm.Message, room int64) []llm.Message {
	const first = 2 // the system prompt and the question
	if llm.EstimateMessages(messages) <= room || len(messages) <= first {
		return messages
	}
	cut := func(messages []llm.Message, each int) []llm.Message {
		out := append([]llm.Message{}, messages...)
		for i := first; i < len(out)-1; i++ { // the last one holds the instruction
			out[i].Content = middleOut(out[i].Content, each)
		}
		return out
	}
	size := 0
	for _, m := range messages {
		size = max(size, len(m.Content))
	}
	fits := func(each int) bool { return llm.EstimateMessages(cut(messages, each)) <= room }
	out := cut(messages, largest(leastMessage, max(size, leastMessage), fits))
	for llm.EstimateMessages(out) > room && len(out) > first+2 {
		out = append(append([]llm.Message{}, out[:first]...), out[first+2:]...)
	}
	return out
}
