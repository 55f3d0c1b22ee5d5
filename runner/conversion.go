package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/fetch"
	"github.com/gorlm/rlm/runner/trajectory"
)

// WithConversion bounds the conversion of documents that are not text.
func WithConversion(c Conversion) Option { return func(cfg *config) { cfg.Conversion = c } }

// WithPrivateURLs allows the given URLs to use loopback and private addresses at their own host and port, such as a
// server on this machine. Redirects to other private addresses are refused. The option is not recorded: a run that
// resumes needs it again.
func WithPrivateURLs(allow bool) Option { return func(c *config) { c.privateURLs = allow } }

func (c config) cacheDir() string { return cmp.Or(c.Conversion.Dir, cache.Dir(c.dataDir)) }

// build makes a text of sources. Documents that are not text are converted.
func (s *Session) build(ctx context.Context, sources []corpus.Source) (*corpus.Text, error) {
	return s.converting(ctx, func(ctx context.Context, o corpus.Options) (*corpus.Text, error) {
		return o.Build(ctx, sources)
	})
}

// mostConverted bounds the text made from a tool's document, in bytes.
const mostConverted = 4 << 20

// textOf is the text of a document that a tool returned, "" if it cannot be converted.
func (c config) textOf(ctx context.Context, name string, data []byte) string {
	text, err := c.converting(func(o corpus.Options) (*corpus.Text, error) {
		o.Fetcher = nil
		return o.Build(ctx, []corpus.Source{{Name: name, Reader: bytes.NewReader(data)}})
	})
	if err != nil {
		return ""
	}
	defer text.Close() // an error after reading does not matter
	out := make([]byte, min(text.Size(), mostConverted))
	if _, err := text.ReadAt(out, 0); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(out), ""))
}

// extend makes a text that begins with old.
func (s *Session) extend(ctx context.Context, old *corpus.Text, sources []corpus.Source) (*corpus.Text, error) {
	return s.converting(ctx, func(ctx context.Context, o corpus.Options) (*corpus.Text, error) {
		return o.Append(ctx, old, sources)
	})
}

func (s *Session) converting(
	ctx context.Context, read func(context.Context, corpus.Options) (*corpus.Text, error),
) (*corpus.Text, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error // error of host.Reading's function; it ends the reading
	text, err := s.cfg.converting(func(o corpus.Options) (*corpus.Text, error) {
		tell := s.tellReading(ctx, &failed)
		o.Progress = func(p corpus.Progress) {
			if tell(p); failed != nil {
				cancel()
			}
		}
		return read(ctx, o)
	})
	if failed == nil {
		return text, err
	}
	if err == nil {
		err = text.Close()
	}
	return nil, errors.Join(failed, err)
}

func (c config) converting(read func(corpus.Options) (*corpus.Text, error)) (*corpus.Text, error) {
	pool := documents.NewPool(
		documents.Options{Level: c.Level, Memory: c.Conversion.Memory, Timeout: c.Conversion.Timeout})
	kept := cache.New(cache.Config{
		Dir: c.cacheDir(), Bound: max(cmp.Or(c.Conversion.Cache, cache.DefaultBound), 0), Convert: pool.Convert,
	})
	pages := &fetch.Client{Agent: "rlm/" + c.host.Version, Private: c.privateURLs}
	defer pages.Close()
	text, err := read(corpus.Options{Cache: kept, Fetcher: pages})
	kept.Close()
	if cerr := pool.Close(); err == nil && cerr != nil {
		return nil, errors.Join(fmt.Errorf("ending the conversion of documents: %w", cerr), text.Close())
	}
	return text, err
}

const (
	// readingPace is the shortest time between two reports, and readingPause the longest while reading advances.
	readingPace  = 200 * time.Millisecond
	readingPause = time.Second
)

// tellReading returns a function that reports the progress of reading whenever another hundredth is done, and
// otherwise once a second.
func (s *Session) tellReading(ctx context.Context, failed *error) func(corpus.Progress) {
	began := time.Now()
	last, hundredth := began, int64(-1)
	return func(p corpus.Progress) {
		now := time.Now()
		done := int64(p.Documents)*100/int64(max(p.Of, 1)) + p.Bytes*100/max(p.OfBytes, 1)
		if since := now.Sub(last); since < readingPace || done == hundredth && since < readingPause {
			return
		}
		last, hundredth = now, done
		d := trajectory.Reading{
			Documents: p.Documents, Of: p.Of, Bytes: p.Bytes, OfBytes: p.OfBytes, Conversions: p.Conversions,
			Made: p.Made, Elapsed: now.Sub(began), Left: p.Left(now.Sub(began)),
		}
		if s.cfg.host.Reading != nil && *failed == nil {
			_, *failed = callback.Call(ctx, "the function of WithReading", func() (struct{}, error) {
				s.cfg.host.Reading(d)
				return struct{}{}, nil
			})
		}
		if s.log != nil {
			_, _ = s.log.Append("", 0, d) // only displayed: an error does not matter
		}
	}
}
