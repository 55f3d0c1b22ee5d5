package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/runner/internal/conversion"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/fetch"
	"github.com/gorlm/rlm/runner/trajectory"
)

// DefaultCache is how many bytes of converted documents are kept where nothing else is said.
const DefaultCache = conversion.DefaultBound

// WithConversion bounds the conversion of documents that are no text.
func WithConversion(c Conversion) Option { return func(cfg *config) { cfg.Conversion = c } }

// WithReading has a function told how far the reading of a context is, now and then, while a session is made or its context changes. It
// is called by one goroutine at a time and must not block.
func WithReading(told func(trajectory.Reading)) Option {
	return func(c *config) { c.reading = told }
}

// WithPrivateURLs lets URLs that are given lead to loopback and private addresses at their own host and port, as those of a server on this
// machine do. Redirects to another place cannot lead there. It is not recorded: the person who resumes a run decides again.
func WithPrivateURLs(allow bool) Option { return func(c *config) { c.privateURLs = allow } }

// CacheDir is the folder below a data folder that holds converted documents.
func CacheDir(dataDir string) string { return filepath.Join(dataDir, "rlm", "cache") }

func (c config) cacheDir() string { return cmp.Or(c.Conversion.Dir, CacheDir(c.dataDir)) }

// CachedDocument is a document whose conversion is kept.
type CachedDocument = conversion.Entry

// Cached lists the documents whose conversion a cache keeps, what was used last first.
func Cached(cacheDir string) ([]CachedDocument, error) { return conversion.List(cacheDir) }

// ClearCache forgets all conversions of a cache and says how many there were, and how many bytes they had. Sessions keep the texts that
// they have seen.
func ClearCache(cacheDir string) (documents int, bytes int64, err error) {
	return conversion.Clear(cacheDir)
}

// build makes a text of sources. Documents that are no text are converted.
func (s *Session) build(ctx context.Context, sources []corpus.Source) (*corpus.Text, error) {
	return s.converting(func(o corpus.Options) (*corpus.Text, error) { return o.Build(ctx, sources) })
}

// extend makes a text that begins with another.
func (s *Session) extend(ctx context.Context, old *corpus.Text, sources []corpus.Source) (*corpus.Text, error) {
	return s.converting(func(o corpus.Options) (*corpus.Text, error) { return o.Append(ctx, old, sources) })
}

func (s *Session) converting(read func(corpus.Options) (*corpus.Text, error)) (*corpus.Text, error) {
	c := s.cfg.Conversion
	converter := conversion.New(conversion.Config{
		Dir: s.cfg.cacheDir(), Bound: max(cmp.Or(c.Cache, DefaultCache), 0),
		Pool: documents.NewPool(documents.Options{Level: s.cfg.Level, Memory: c.Memory, Timeout: c.Timeout}),
	})
	pages := &fetch.Client{Agent: "rlm/" + s.cfg.version, Private: s.cfg.privateURLs}
	defer pages.Close()
	text, err := read(corpus.Options{Converter: converter, Fetcher: pages, Progress: s.tellReading()})
	if cerr := converter.Close(); err == nil && cerr != nil {
		return nil, errors.Join(fmt.Errorf("ending the conversion of documents: %w", cerr), text.Close())
	}
	return text, err
}

const (
	// readingPace is the shortest time between two reports, and readingPause the longest while something comes.
	readingPace  = 200 * time.Millisecond
	readingPause = time.Second
)

// tellReading tells how far a reading is whenever it has come another hundredth, and at least once a second.
func (s *Session) tellReading() func(corpus.Progress) {
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
			Documents: p.Documents, Of: p.Of, Bytes: p.Bytes, OfBytes: p.OfBytes, Conversions: p.Conversions, Made: p.Made, Elapsed: now.Sub(began), Left: p.Left(now.Sub(began)),
		}
		if s.cfg.reading != nil {
			s.cfg.reading(d)
		}
		if s.log != nil {
			_, _ = s.log.Append("", 0, d) // it is only shown
		}
	}
}
