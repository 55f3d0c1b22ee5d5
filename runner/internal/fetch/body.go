package fetch

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/units"
)

func (c *Client) limits() Limits {
	return Limits{
		Bytes: cmp.Or(c.Limits.Bytes, 256<<20), Silence: cmp.Or(c.Limits.Silence, 30*time.Second),
		Time: cmp.Or(c.Limits.Time, time.Minute),
	}
}

// watch ends a request that takes too long.
type watch struct {
	limits Limits
	cancel context.CancelCauseFunc
	ctx    context.Context

	mu    sync.Mutex
	until time.Time
	timer *time.Timer
}

// watch starts the timer.
func (c *Client) watch(ctx context.Context) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{limits: c.limits(), cancel: cancel, ctx: ctx}
	w.until = time.Now().Add(w.limits.Time)
	w.timer = time.AfterFunc(min(w.limits.Silence, w.limits.Time), w.late)
	return ctx, w
}

func (w *watch) late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !time.Now().Before(w.until) {
		w.cancel(fmt.Errorf("it had not arrived after %s", w.limits.Time))
		return
	}
	w.cancel(fmt.Errorf("the server sent nothing for %s", w.limits.Silence))
}

// heard records that n bytes arrived.
func (w *watch) heard(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = w.until.Add(time.Duration(n) * time.Second / bytesASecond)
	w.timer.Reset(min(w.limits.Silence, max(time.Until(w.until), 0)))
}

// why returns the timer's error if the timer ended the request, else err.
func (w *watch) why(err error) error {
	if cause := context.Cause(w.ctx); cause != nil && !errors.Is(err, io.EOF) {
		return cause
	}
	return err
}

func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// body reads the body of a page, within its limits.
type body struct {
	w          *watch
	from       io.ReadCloser
	left, most int64
}

func tooLarge(most int64) error {
	return fmt.Errorf("it is larger than %s, the maximum for a fetched page", units.Bytes(most))
}

// Read reads the page. Errors are worded for people.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		return 0, tooLarge(b.most)
	}
	b.left -= int64(n)
	if n > 0 {
		b.w.heard(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the transfer broke off after %s: %w", units.Bytes(b.most-b.left), explain(b.w.why(err)))
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	b.w.end()
	return b.from.Close()
}

// headLen is how many of the first bytes are examined to recognise text.
const headLen = 64 << 10

// decoded converts a text to UTF-8 if the server names its encoding, which overrides the page's own claim. The
// result then begins with a byte order mark, which identifies it as UTF-8.
func decoded(b *body, kind, charset string) (io.ReadCloser, string, error) {
	r := bufio.NewReaderSize(b, headLen)
	plain := struct {
		io.Reader
		io.Closer
	}{r, b}
	if charset == "" || !isText(kind) {
		return plain, "", nil
	}
	head, err := r.Peek(headLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	enc, err := htmlindex.Get(strings.TrimSpace(charset))
	if err != nil || decoding.Marked(head) {
		return plain, "", nil // the text itself is a better source of its encoding
	}
	name, err := htmlindex.Name(enc)
	wide := strings.HasPrefix(name, "utf-16")
	switch {
	case err != nil || name == "utf-8" || name == "replacement":
		return plain, "", nil // UTF-8 is detected later
	case !wide && (!format.LooksLikeText(head) || isUTF8(head)):
		return plain, "", nil // servers add a charset to everything
	}
	plain.Reader = io.MultiReader(strings.NewReader(decoding.Mark), transform.NewReader(r, enc.NewDecoder()))
	return plain, name, nil
}

// isUTF8 reports whether the beginning of a text has non-ASCII characters and is valid UTF-8.
func isUTF8(head []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut < len(head); cut++ { // the last character may be cut
		if whole := head[:len(head)-cut]; utf8.Valid(whole) {
			return utf8.RuneCount(whole) < len(whole)
		}
	}
	return false
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.Contains(kind, "xml") || strings.Contains(kind, "json") ||
		strings.Contains(kind, "javascript")
}
