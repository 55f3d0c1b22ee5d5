package corpus

// A text is built in pieces of this size. Few of them are in flight, so the heap stays small, however long the
// text is.
const (
	pieceLen = 256 << 10
	pieces   = 6
)

// writer writes a text to its store and tallies it concurrently: hashing takes as long as reading and writing
// together.
type writer struct {
	store   *store
	free    chan []byte // pieces to fill
	full    chan []byte // pieces to count
	counted chan struct{}
	last    byte // the last byte written
}

// newWriter returns a writer that appends to the text that t has counted so far.
func newWriter(s *store, t *tally) *writer {
	w := &writer{
		store: s, free: make(chan []byte, pieces), full: make(chan []byte, pieces),
		counted: make(chan struct{}),
	}
	if n := len(t.tail); n > 0 {
		w.last = t.tail[n-1]
	}
	for range pieces {
		w.free <- nil // allocated on first use: a small text needs only one
	}
	go func() {
		defer close(w.counted)
		for p := range w.full {
			t.add(p)
			w.free <- p[:0]
		}
	}()
	return w
}

// finish waits until everything is counted.
func (w *writer) finish() {
	close(w.full)
	<-w.counted
}

// piece returns memory to read into. Return it with write.
func (w *writer) piece() []byte {
	p := <-w.free
	if p == nil {
		p = make([]byte, pieceLen)
	}
	return p[:cap(p)]
}

// write writes text and queues it for counting. buf is the piece that it was read into; text may or may not be
// part of it.
func (w *writer) write(buf, text []byte) error {
	if len(text) == 0 {
		w.free <- buf
		return nil
	}
	if _, err := w.store.Write(text); err != nil {
		w.free <- buf
		return err
	}
	w.last = text[len(text)-1]
	if &text[0] != &buf[0] {
		text = append(buf[:0], text...)
	}
	w.full <- text
	return nil
}

// Write writes a copy of p.
func (w *writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		buf := w.piece()
		n := copy(buf, rest)
		rest = rest[n:]
		if err := w.write(buf, buf[:n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
