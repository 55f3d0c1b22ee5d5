package cell

import "strings"

// Mark is a letter that cells may not use in names. Behind the name that a cell wrote it makes the name
// unique in a session (xʹ2), and the host's own names end with it.
const Mark = "ʹ"

// EntryName is the function that holds a cell's statements.
const EntryName = "cell" + Mark

// Display turns names of hoisted files in a text into those that cells wrote: marks go, with the digits
// behind them.
func Display(text string) string {
	if !strings.Contains(text, Mark) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, Mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = strings.TrimLeft(after, "0123456789")
	}
}
