package answer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxLen is the maximal length of a formatted answer in bytes. A longer one is truncated, with a remark after it.
const MaxLen = 16 << 20

// writer builds a text of bounded length.
type writer struct {
	b    strings.Builder
	left int
	cut  bool
}

func (w *writer) full() bool { return w.cut }

func (w *writer) write(s string) {
	if w.cut {
		return
	}
	if len(s) > w.left {
		n := w.left
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, w.cut = s[:n], true
	}
	w.left -= len(s)
	w.b.WriteString(s)
}

func (w *writer) writef(format string, args ...any) { w.write(fmt.Sprintf(format, args...)) }

func (w *writer) result() string {
	if w.cut {
		fmt.Fprintf(&w.b, "\n… (cut: the answer is longer than %d MiB)", MaxLen>>20)
	}
	return w.b.String()
}
