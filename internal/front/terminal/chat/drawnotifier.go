package chat

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// drawNotifier is a terminal that tells when the live part was drawn on it for the first time. Nothing can be
// printed above it before: until then the library takes all of the screen for the live part.
type drawNotifier struct {
	*os.File
	once sync.Once
	tell func()
}

// firstDraw is what the library writes with its first drawing, and only then.
var firstDraw = []byte("\x1b[?2004h")

func (d *drawNotifier) Write(p []byte) (int, error) {
	n, err := d.File.Write(p)
	if bytes.Contains(p, firstDraw) {
		d.once.Do(d.tell)
	}
	return n, err
}

// tellWhenDrawn wraps a terminal so that tell is called once something was drawn.
func tellWhenDrawn(w io.Writer, tell func()) io.Writer {
	if f, ok := w.(*os.File); ok {
		return &drawNotifier{File: f, tell: tell}
	}
	tell()
	return w
}
