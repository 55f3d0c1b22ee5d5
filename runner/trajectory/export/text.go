package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// quote writes a block quote: whatever s holds ends with it.
func (p *page) quote(s string) {
	for line := range strings.Lines(strings.TrimRight(s, "\n")) {
		p.printf("%s\n", strings.TrimRight("> "+line, " \r\n"))
	}
	p.printf("\n")
}

// fenced writes a code block with a fence longer than any in s.
func (p *page) fenced(lang, s string) {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	p.printf("%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(s, "\n"), fence)
}

// code is s as a code span.
func code(s string) string {
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

// quoted is the beginning of a text and, if there is more, its size.
func quoted(t trajectory.Text) string {
	const most = 160
	if t.Size() == 0 {
		return "(nothing)"
	}
	s := code(shorten(t.String(), most))
	if t.Size() > most {
		s += " (" + size(t.Size()) + ")"
	}
	return s
}

func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return " · " + d.Round(time.Millisecond).String()
}

func usage(u trajectory.Usage) string {
	s := fmt.Sprintf("%d tokens in, %d out", u.Prompt, u.Completion)
	if u.Estimated {
		s += " (estimated)"
	}
	if u.Cost != nil {
		s += fmt.Sprintf(" · $%.4f", *u.Cost)
	}
	return s
}

// shorten is the beginning of a text on one line.
func shorten(s string, most int) string {
	const atLeast = 8 // bytes that are looked at for each character to show
	if len(s) > most*atLeast {
		s = strings.ToValidUTF8(s[:most*atLeast], "") + " …"
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + " …"
	}
	return s
}
