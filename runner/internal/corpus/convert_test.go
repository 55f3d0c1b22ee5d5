package corpus_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/runner/internal/corpus"
)

// fake converts RTF documents by calling the function with each document's text.
type fake func(ctx context.Context, job documents.Job, text string, yield func(documents.Document) error) error

// rtf is the start of each document that a fake converts.
const rtf = `{\rtf`

// cache returns a cache that stores nothing.
func (f fake) cache() *cache.Cache {
	return cache.New(cache.Config{
		Convert: func(ctx context.Context, job documents.Job, yield func(documents.Document) error) error {
			text, err := io.ReadAll(io.NewSectionReader(job.Bytes, 0, job.Size))
			if err != nil {
				return err
			}
			return f(ctx, job, strings.Replace(string(text), rtf, "FAKE ", 1), yield)
		},
	})
}

// say yields a document, or a member of an archive if member is not empty.
func say(job documents.Job, member, text string, yield func(documents.Document) error) error {
	return yield(documents.Document{
		Name: job.Name + member, Kind: "fake", Text: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))),
	})
}

// fakes creates a folder of n documents to convert.
func fakes(t *testing.T, n int) string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("%03d", i)] = fmt.Sprintf(rtf+"%03d", i)
	}
	return tree(t, files)
}

func buildWith(t *testing.T, f fake, sources ...corpus.Source) *corpus.Text {
	t.Helper()
	text, err := corpus.Options{Cache: f.cache()}.Build(t.Context(), sources)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, text.Close()) })
	return text
}

// The text is in the order of the sources, whichever conversion ends first.
func TestTheOrderOfConversionsDoesNotMatter(t *testing.T) {
	dir := fakes(t, 40)
	plain := buildWith(t, func(
		_ context.Context, job documents.Job, text string, yield func(documents.Document) error,
	) error {
		return errors.Join(say(job, "", text+"\n", yield), say(job, "!/a", "first of "+text, yield),
			say(job, "!/b", "second of "+text, yield))
	}, corpus.Source{Path: dir})
	require.Len(t, plain.Documents(), 120)

	ended := make(map[string]chan struct{})
	for i := range 40 {
		ended[fmt.Sprintf("%03d", i)] = make(chan struct{})
	}
	swapped := buildWith(t, func(
		_ context.Context, job documents.Job, text string, yield func(documents.Document) error,
	) error {
		name := filepath.Base(job.Name)
		defer close(ended[name])
		if err := say(job, "", text+"\n", yield); err != nil {
			return err
		}
		var n int
		_, _ = fmt.Sscan(name, &n)
		if n%2 == 0 { // the odd number after it ends first
			<-ended[fmt.Sprintf("%03d", n+1)]
		}
		return errors.Join(say(job, "!/a", "first of "+text, yield), say(job, "!/b", "second of "+text, yield))
	}, corpus.Source{Path: dir})
	require.Equal(t, plain.Facts().SHA256, swapped.Facts().SHA256)
	require.Equal(t, plain.Documents(), swapped.Documents())
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(rtf+"039"))), swapped.Documents()[119].Hash)
}

// While one source is read, the following ones are converted, but only as many as there is room for.
func TestConversionsRunAheadOfTheText(t *testing.T) {
	dir := fakes(t, 300)
	var mu sync.Mutex
	began, most := 0, 0
	ahead := make(chan struct{})
	slow := readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = 'x'
		}
		return len(p), nil
	})
	waits := io.MultiReader(io.LimitReader(slow, 1<<20), readerFunc(func([]byte) (int, error) {
		<-ahead
		mu.Lock()
		defer mu.Unlock()
		most = began
		return 0, io.EOF
	}))
	text := buildWith(t, func(
		_ context.Context, job documents.Job, text string, yield func(documents.Document) error,
	) error {
		mu.Lock()
		if began++; began == 50 {
			close(ahead)
		}
		mu.Unlock()
		return say(job, "", text, yield)
	}, corpus.Source{Name: "stream", Reader: waits}, corpus.Source{Path: dir})
	require.GreaterOrEqual(t, most, 50)
	require.Less(t, most, 100, "of 300")
	require.Len(t, text.Documents(), 301)
	require.EqualValues(t, 1<<20, text.Documents()[0].Size)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A conversion that fails loses only its document, or the rest of it, and the document is listed.
func TestAConversionThatFailsCostsItsDocument(t *testing.T) {
	dir := fakes(t, 6)
	text := buildWith(t, func(
		_ context.Context, job documents.Job, text string, yield func(documents.Document) error,
	) error {
		switch filepath.Base(job.Name) {
		case "001":
			return errors.New("no worker can be had")
		case "002":
			return errors.Join(say(job, "", "the beginning", yield), errors.New("the rest is lost"))
		case "003":
			return yield(documents.Document{Name: job.Name, Why: "it crashed"})
		case "004":
			return errors.Join(say(job, "", text, yield),
				yield(documents.Document{Name: job.Name + "!/x", Why: "it is password-protected"}))
		}
		return say(job, "", text, yield)
	}, corpus.Source{Path: dir})
	require.Equal(t, map[string]string{
		"000": "FAKE 000", "001": rtf + "001", "002": "the rest is missing: the rest is lost", "003": rtf + "003",
		"004":    "FAKE 004",
		"004!/x": "it is password-protected", "005": "FAKE 005",
	}, about(t, dir, text))
	require.Contains(t, content(t, text), "the beginning")
	require.Contains(t, text.Documents()[1].Note, "no worker can be had")
	require.Contains(t, text.Documents()[3].Note, "it crashed")
}

// The bytes of an archive whose conversion was abandoned are not a document, although they look like text if the
// archive is not compressed.
func TestAnArchiveThatIsGivenUpIsNoDocument(t *testing.T) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "t3.txt", Method: zip.Store})
	require.NoError(t, err)
	_, err = f.Write([]byte(strings.Repeat("the lamp is lit at dusk\n", 400)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.zip"), archive.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.html"), []byte("<!doctype html><p>a page"), 0o600))
	text := buildWith(t, func(
		_ context.Context, job documents.Job, _ string, yield func(documents.Document) error,
	) error {
		return yield(documents.Document{Name: job.Name, Why: "it unpacks to more than the limit"})
	}, corpus.Source{Path: dir})
	require.Len(t, text.Documents(), 1)
	require.Equal(t, "it was left as it is, not converted: it unpacks to more than the limit",
		text.Documents()[0].Note)
	require.Len(t, text.Skipped(), 1)
	require.Equal(t, "it unpacks to more than the limit", text.Skipped()[0].Reason)
}

// If the disk is full, a document that was converted ahead and cannot be stored is converted again when the text
// reaches it.
func TestAFullDiskOnlyCostsTheLookAhead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP TestAFullDiskOnlyCostsTheLookAhead: without a file in memory the text itself needs the disk")
	}
	dir := fakes(t, 8)
	long := strings.Repeat("a long line\n", 200_000) // more than the text keeps in memory
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	var mu sync.Mutex
	var once sync.Once
	calls, full := 0, make(chan struct{})
	text := buildWith(t, func(
		_ context.Context, job documents.Job, text string, yield func(documents.Document) error,
	) error {
		mu.Lock()
		calls++
		mu.Unlock()
		if filepath.Base(job.Name) == "000" { // wait until another document is converted ahead
			<-full
		}
		if err := errors.Join(say(job, "", text, yield), say(job, "!/long", long+text, yield)); err != nil {
			once.Do(func() { close(full) })
			return err
		}
		return nil
	}, corpus.Source{Path: dir}, corpus.Source{Name: "end", String: "the end"})
	require.Greater(t, calls, 8)
	require.Len(t, text.Documents(), 17)
	for i, d := range text.Documents()[:16] {
		if i%2 == 1 {
			require.EqualValues(t, len(long)+8, d.Size, d.Name)
		}
	}
}

// Cancelling does not wait for conversions, and nothing is leaked.
func TestAnInterruptedBuildEndsItsConversions(t *testing.T) {
	goroutines := goleak.IgnoreCurrent()
	dir := fakes(t, 100)
	before := openFiles(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	var once sync.Once
	_, err := corpus.Options{Cache: fake(
		func(within context.Context, job documents.Job, text string, yield func(documents.Document) error) error {
			if filepath.Base(job.Name) < "002" {
				return say(job, "", text, yield)
			}
			once.Do(func() { cancel(errors.New("enough")) })
			<-within.Done()
			return within.Err()
		}).cache()}.Build(ctx, []corpus.Source{{Path: dir}})
	require.ErrorIs(t, err, context.Canceled)
	goleak.VerifyNone(t, goroutines)
	require.LessOrEqual(t, openFiles(t), before)
}

// openFiles counts the open files of this process, if possible.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// The reports end with the totals, and never decrease.
func TestProgressEndsWithAll(t *testing.T) {
	dir := fakes(t, 20)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text"), []byte("text"), 0o600))
	var last corpus.Progress
	text, err := corpus.Options{
		Cache: fake(func(_ context.Context, job documents.Job, text string,
			yield func(documents.Document) error,
		) error {
			return say(job, "", text, yield)
		}).cache(),
		Progress: func(p corpus.Progress) {
			assert.GreaterOrEqual(t, p.Documents, last.Documents)
			assert.GreaterOrEqual(t, p.Bytes, last.Bytes)
			assert.GreaterOrEqual(t, p.Conversions, last.Conversions)
			assert.GreaterOrEqual(t, p.Made, last.Made)
			last = p
		},
	}.Build(t.Context(), []corpus.Source{{Path: dir}})
	require.NoError(t, err)
	require.NoError(t, text.Close())
	require.Equal(t, corpus.Progress{
		Documents: 21, Of: 21, Bytes: 20*8 + 4, OfBytes: 20*8 + 4, Conversions: 20, Made: 20,
	}, last)
}
