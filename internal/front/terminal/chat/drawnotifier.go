package chat

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// drawNotifier wraps a terminal and calls tell once the live part is first drawn. Before that, nothing can be
// printed above the live part, because the library uses the whole screen for it.
type drawNotifier struct {
	*os.File
	once sync.Once
	tell func()
}

// firstDraw is a sequence that the library writes only when it first draws.
var firstDraw = []byte("\x1b[?2004h")

func (d *drawNotifier) Write(p []byte) (int, error) {
	n, err := d.File.Write(p)
	if bytes.Contains(p, firstDraw) {
		d.once.Do(d.tell)
	}
	return n, err
}

// tellWhenDrawn wraps a terminal so that tell is called once the live part has been drawn. If w is no file, it
// calls tell immediately.
func tellWhenDrawn(w io.Writer, tell func()) io.Writer {
	if f, ok := w.(*os.File); ok {
		return &drawNotifier{File: f, tell: tell}
	}
	tell()
	return w
}
