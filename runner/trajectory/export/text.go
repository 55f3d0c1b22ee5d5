package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// quote writes a block quote: nothing in s extends beyond it, and nothing in it is loaded or run.
func (p *page) quote(s string) {
	out := blockQuote(inert(s))
	if hasLive(out) && isLive(out) {
		out = blockQuote(shown(s))
	}
	p.WriteString(out)
}

// blockQuote returns s as a block quote.
func blockQuote(s string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(s, "\n")) {
		b.WriteString(strings.TrimRight("> "+line, " \r\n") + "\n")
	}
	return b.String() + "\n"
}

// fenced writes a code block with a fence longer than any in s.
func (p *page) fenced(lang, s string) {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	p.printf("%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(s, "\n"), fence)
}

// inline returns the beginning of a text on one line, safe from loading or running anything. Code in it is escaped
// too: a backquote next to the text could end it.
func inline(s string, most int) string { return shown(shorten(s, most)) }

// code returns s as a code span, on one line.
func code(s string) string {
	s = strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longestRun is the length of the longest run of backquotes.
func longestRun(s string) int {
	longest, n := 0, 0
	for _, c := range s {
		if c != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// quoted returns the beginning of a text and, if it is longer, its size.
func quoted(t trajectory.Text) string {
	const most = 160
	if t.Size() == 0 {
		return "(nothing)"
	}
	s := code(shorten(t.String(), most))
	if t.Size() > most {
		s += " (" + units.Bytes(t.Size()) + ")"
	}
	return s
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return " · " + d.Round(time.Millisecond).String()
}

func usage(u trajectory.Usage) string {
	s := fmt.Sprintf("%s in, %d out", units.Of(u.Prompt, "token"), u.Completion)
	if u.Estimated {
		s += " (estimated)"
	}
	if u.Cost != nil {
		s += " · " + units.Dollars(*u.Cost)
	}
	return s
}

// shorten returns the beginning of a text on one line.
func shorten(s string, most int) string {
	const atLeast = 8 // bytes examined for each character shown
	if len(s) > most*atLeast {
		s = strings.ToValidUTF8(s[:most*atLeast], "") + " …"
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + " …"
	}
	return s
}

// noteText describes an event of a guard, a limit or a person in a sentence; "" for other events.
func noteText(d trajectory.Data) string {
	switch d := d.(type) {
	case trajectory.Warned:
		return "Warning: " + shorten(d.Text, 500)
	case trajectory.Nudged:
		return fmt.Sprintf("The guard %s told the model: %s", d.Guard, shorten(d.Text, 500))
	case trajectory.SignalIgnored:
		return fmt.Sprintf("The signal %s did not count: %s", d.Signal, shorten(d.Reason, 500))
	case trajectory.LimitReached:
		return fmt.Sprintf("A limit was reached: %s, %s of %s.", d.Limit, d.Used, d.Bound)
	case trajectory.TurnFailed:
		return "The model gave no reply: " + shorten(d.Message, 500)
	case trajectory.Restored:
		return restoredText(d)
	case trajectory.EngineMoved:
		return fmt.Sprintf("Cell %d continues in the %s engine: %s", d.Cell, d.To, shorten(d.Why, 500))
	case trajectory.Undone:
		return fmt.Sprintf("The last %s taken back.",
			map[bool]string{true: "question was", false: strconv.Itoa(d.Runs) + " questions were"}[d.Runs == 1])
	case trajectory.Reviewed:
		decision := "rejected"
		if d.Approved {
			decision = "approved"
		}
		return strings.TrimSpace(fmt.Sprintf("The answer was %s. %s", decision, shorten(d.Note, 500)))
	}
	return ""
}

// restoredText describes only the losses of a restore: missing names, changed variables, and cells left out from
// now on.
func restoredText(d trajectory.Restored) string {
	if len(d.Lost)+len(d.Differing)+len(d.LeftOut) == 0 {
		return ""
	}
	text := "The notebook was restored"
	if len(d.Lost) > 0 {
		text += "; these names are gone: " + strings.Join(d.Lost, ", ")
	}
	if len(d.Differing) > 0 {
		text += "; these variables are not what they were: " + strings.Join(d.Differing, ", ")
	}
	if d.Why != "" {
		text += " (" + d.Why + ")"
	}
	return shorten(text, 500)
}
