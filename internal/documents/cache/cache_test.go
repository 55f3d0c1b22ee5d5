package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
)

// fake is a pool that invents documents and counts conversions.
type fake struct {
	make  func(job documents.Job, yield func(documents.Document) error) error
	calls atomic.Int64
}

func (f *fake) Convert(ctx context.Context, job documents.Job, yield func(documents.Document) error) error {
	f.calls.Add(1)
	if err := f.make(job, yield); err != nil {
		return err
	}
	return ctx.Err()
}

// upper converts a document to upper-case text.
func upper(job documents.Job, yield func(documents.Document) error) error {
	text, err := io.ReadAll(io.NewSectionReader(job.Bytes, 0, job.Size))
	if err != nil {
		return err
	}
	return yield(document(job.Name, "upper", strings.ToUpper(string(text))))
}

func document(name, kind, text string) documents.Document {
	return documents.Document{
		Name: name, Kind: kind, Text: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))),
	}
}

// got is a document with its text.
type got struct {
	documents.Document
	text string
}

// convert converts a text with a name and checks the hash.
func convert(t *testing.T, v *Cache, by, name, text string) []got {
	t.Helper()
	all, err := tryConvert(t, v, by, name, text)
	require.NoError(t, err)
	return all
}

func tryConvert(t *testing.T, v *Cache, by, name, text string) (all []got, err error) {
	t.Helper()
	job := documents.Job{Name: name, Bytes: strings.NewReader(text), Size: int64(len(text))}
	hash, err := v.Convert(t.Context(), by, job, func(d documents.Document) error {
		g := got{Document: d}
		if d.Text != nil {
			b, err := io.ReadAll(d.Text)
			if err != nil {
				return err
			}
			g.text, g.Text = string(b), nil
		} else {
			g.text = "none"
		}
		all = append(all, g)
		return nil
	})
	if err == nil {
		sum := sha256.Sum256([]byte(text))
		require.Equal(t, hex.EncodeToString(sum[:]), hash)
	}
	return all, err
}

// newFake returns a cache over a fake pool.
func newFake(
	t *testing.T, dir string, bound int64, make func(documents.Job, func(documents.Document) error) error) (
	*Cache, *fake,
) {
	t.Helper()
	f := &fake{make: make}
	v := New(Config{Dir: dir, Bound: bound, Convert: f.Convert})
	t.Cleanup(v.Close)
	return v, f
}

// everything yields all kinds of documents and members.
func everything(job documents.Job, yield func(documents.Document) error) error {
	long := strings.Repeat("more than is kept in memory ", inMemory/20)
	head := document(job.Name, "mail", "Subject: one\n\n--- page 1 ---\ntwo")
	head.Pages, head.Notes = 1, []string{"1 page without text", "and more"}
	head.Parts = []documents.Part{{Part: format.Part{Kind: format.Page, Number: 1, Name: "first"}, Offset: 29, Size: 3}}
	raw := document(job.Name+"!/a.txt", "", "raw \xff bytes")
	raw.Raw, raw.Modified = true, time.Unix(1e9, 0).UTC()
	cut := document(job.Name+"!/cut.pdf", "pdf", "half of it")
	cut.Why, cut.Lasting = "the rest is damaged", true
	for _, d := range []documents.Document{
		head, raw, cut,
		{Name: job.Name + "!/virus.exe", Why: "it is a program", Lasting: true},
		document(job.Name+"!/empty.txt", "", ""),
		document(job.Name+"!/long.docx", "docx", long),
	} {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

func TestTheCacheGivesWhatTheConversionGave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	v, f := newFake(t, dir, DefaultBound, everything)
	first := convert(t, v, "mail/1", "in/box.eml", "the mail")
	require.Len(t, first, 6)
	require.Equal(t, first, convert(t, v, "mail/1", "in/box.eml", "the mail"))
	require.EqualValues(t, 1, f.calls.Load())

	again, f := newFake(t, dir, DefaultBound, everything)
	renamed := convert(t, again, "mail/1", "copy.eml", "the mail")
	require.Zero(t, f.calls.Load(), "another process, and a copy under another name")
	require.Equal(t, "copy.eml!/virus.exe", renamed[3].Name)

	convert(t, again, "mail/1", "in/box.eml", "another mail")
	require.EqualValues(t, 1, f.calls.Load(), "other bytes")
	convert(t, again, "mail/2", "in/box.eml", "the mail")
	require.EqualValues(t, 2, f.calls.Load(), "a later version of the converter")
	convert(t, again, "mail/1", "in/box.txt", "the mail")
	require.EqualValues(t, 3, f.calls.Load(), "a name that tells the converter something else")

	list, err := List(dir)
	require.NoError(t, err)
	require.Len(t, list, 4)
}

// Users who cannot read a document cannot read its cached result.
func TestTheCacheIsForItsOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "cache")
	v, _ := newFake(t, dir, DefaultBound, upper)
	convert(t, v, "x/1", "a", "text")
	v.index.add(stat{1, 2, 3, 4, 5}, strings.Repeat("ab", 32))
	v.index.save()
	files := 0
	require.NoError(t, filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if info.IsDir() {
			require.Zero(t, info.Mode().Perm()&0o077, path)
			return nil
		}
		files++
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		return nil
	}))
	require.Equal(t, 2, files)
}

// Results that may differ at the next try, and incomplete ones, are converted again.
func TestWhatIsNotWholeIsNotKept(t *testing.T) {
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		make func(documents.Job, func(documents.Document) error) error
		err  error
	}{
		"too slow": {func(job documents.Job, yield func(documents.Document) error) error {
			d := document(job.Name, "pdf", "half")
			d.Why = "it takes too long"
			return yield(d)
		}, nil},
		"a member crashed": {func(job documents.Job, yield func(documents.Document) error) error {
			return errors.Join(upper(job, yield), yield(documents.Document{Name: job.Name + "!/a.pdf", Why: "crashed"}))
		}, nil},
		"the pool failed": {func(job documents.Job, yield func(documents.Document) error) error {
			return errors.Join(upper(job, yield), enough)
		}, enough},
		"much that was no work": {func(job documents.Job, yield func(documents.Document) error) error {
			d := document(job.Name+"!/a.log", "", strings.Repeat("x", mostRaw+1))
			d.Raw = true
			return yield(d)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v, f := newFake(t, dir, DefaultBound, c.make)
			for range 2 {
				all, err := tryConvert(t, v, "x/1", "doc", "text")
				require.ErrorIs(t, err, c.err)
				require.NotEmpty(t, all)
			}
			require.EqualValues(t, 2, f.calls.Load())
			left, err := results(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// The text of a file that is written during its conversion is not stored under any hash.
func TestAFileThatChangesMeanwhileIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc")
	require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	v, f := newFake(t, t.TempDir(), DefaultBound, func(job documents.Job, yield func(documents.Document) error) error {
		require.NoError(t, os.WriteFile(path, []byte("behind"), 0o600))
		return upper(job, yield)
	})
	for range 2 {
		_, err = v.Convert(t.Context(), "x/1", documents.Job{Name: "doc", Bytes: file, Size: 6},
			func(documents.Document) error { return nil })
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
	}
	require.EqualValues(t, 2, f.calls.Load())
}

// A damaged or truncated result is discarded as a whole.
func TestADamagedResultIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	v, f := newFake(t, dir, DefaultBound, func(job documents.Job, yield func(documents.Document) error) error {
		return errors.Join(upper(job, yield),
			yield(documents.Document{Name: job.Name + "!/b.exe", Why: "it is a program", Lasting: true}))
	})
	want := convert(t, v, "x/1", "doc", "some text")
	all, err := results(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)
	whole, err := os.ReadFile(all[0].path)
	require.NoError(t, err)
	damage := func(what string, data []byte) {
		require.NoError(t, os.WriteFile(all[0].path, data, 0o600))
		require.Equal(t, want, convert(t, v, "x/1", "doc", "some text"), what)
		now, err := os.ReadFile(all[0].path)
		require.NoError(t, err)
		require.NotEqual(t, data, now, what)
	}
	for n := range whole {
		damage(fmt.Sprintf("the first %d bytes", n), whole[:n])
		bad := bytes.Clone(whole)
		bad[n] ^= 0x55
		require.NoError(t, os.WriteFile(all[0].path, bad, 0o600))
		require.Equal(t, want, convert(t, v, "x/1", "doc", "some text"), "byte %d", n)
	}
	damage("another file", []byte("hello"))
	damage("twice", append(bytes.Clone(whole), whole...))
	require.Greater(t, f.calls.Load(), int64(len(whole)))

	require.NoError(t, os.WriteFile(all[0].path, []byte("hello"), 0o600))
	list, err := List(dir)
	require.NoError(t, err)
	require.Equal(t, "damaged", list[0].Name)
}

// The least recently used results are evicted first. Leftovers of killed processes are removed when they are old;
// files that others are writing are kept.
func TestTheCacheStaysBelowItsBound(t *testing.T) {
	dir := t.TempDir()
	v, f := newFake(t, dir, DefaultBound, upper)
	old := time.Now().Add(-20 * 24 * time.Hour)
	for i := range 10 {
		name := fmt.Sprintf("doc%d", i)
		key := keyOf(convertedHash(t, v, name), "x/1", name)
		require.NoError(t, os.Chtimes(v.folder.file(key), old, old.Add(time.Duration(i)*time.Hour)))
	}
	all, err := results(dir)
	require.NoError(t, err)
	each := all[0].size
	convertedHash(t, v, "doc0") // makes doc0 the most recently used
	require.EqualValues(t, 10, f.calls.Load())
	for name, age := range map[string]time.Duration{"killed": staleAfter + time.Minute, "writing": 0} {
		path := filepath.Join(dir, newPrefix+name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		require.NoError(t, os.Chtimes(path, time.Now().Add(-age), time.Now().Add(-age)))
	}

	small, _ := newFake(t, dir, 5*each+each/2, upper)
	convertedHash(t, small, "another")
	small.Close()
	list, err := List(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	require.ElementsMatch(t, []string{"another", "doc0", "doc9", "doc8", "doc7"}, names)
	require.Equal(t, "doc7", names[4], "what was used last stands first")
	require.NoFileExists(t, filepath.Join(dir, newPrefix+"killed"))
	require.FileExists(t, filepath.Join(dir, newPrefix+"writing"))

	n, size, err := Clear(dir)
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.GreaterOrEqual(t, size, 4*each)
	left, err := results(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	n, _, err = Clear(dir)
	require.NoError(t, err)
	require.Zero(t, n)
	convertedHash(t, v, "doc1")
	require.EqualValues(t, 11, f.calls.Load())
}

// convertedHash converts a document of some incompressible kilobytes and returns its hash.
func convertedHash(t *testing.T, v *Cache, name string) string {
	t.Helper()
	var text strings.Builder
	for i := range 50 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", name, i))
		text.WriteString(hex.EncodeToString(sum[:]))
	}
	convert(t, v, "x/1", name, text.String())
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:])
}

// Documents are converted even if nothing can be stored.
func TestWithoutACache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, c := range map[string]struct {
		dir   string
		bound int64
	}{
		"switched off": {t.TempDir(), 0}, "below a file": {filepath.Join(file, "cache"), DefaultBound},
		"no folder": {"", DefaultBound},
	} {
		t.Run(name, func(t *testing.T) {
			v, f := newFake(t, c.dir, c.bound, upper)
			for range 2 {
				require.Equal(t, "TEXT", convert(t, v, "x/1", "doc", "text")[0].text)
			}
			require.EqualValues(t, 2, f.calls.Load())
		})
	}
	list, err := List(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	require.Empty(t, list)
}

// A damaged index returns the right hash or none.
func TestADamagedIndexGivesNoWrongHash(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour).UnixNano()
	at := func(i int) stat { return stat{1, int64(i), 100, old, old} }
	hash := func(i int) string { sum := sha256.Sum256(fmt.Append(nil, i)); return hex.EncodeToString(sum[:]) }
	x := openIndex(dir)
	for i := range 3 {
		x.add(at(i), hash(i))
	}
	x.add(stat{1, 9, 100, time.Now().UnixNano(), old}, hash(9))
	x.save()
	whole, err := os.ReadFile(filepath.Join(dir, indexFile))
	require.NoError(t, err)
	x = openIndex(dir)
	require.Len(t, x.known, 3, "what was changed a moment ago is not known")
	check := func(data []byte, what string) int {
		require.NoError(t, os.WriteFile(filepath.Join(dir, indexFile), data, 0o600))
		known := openIndex(dir).known
		for i := range 3 {
			if h, ok := known[at(i)]; ok {
				require.Equal(t, hash(i), h, what)
				delete(known, at(i))
			}
		}
		require.Empty(t, known, what)
		return len(known)
	}
	for n := range whole {
		check(whole[:n], fmt.Sprintf("the first %d bytes", n))
		bad := bytes.Clone(whole)
		bad[n] ^= 1
		check(bad, fmt.Sprintf("byte %d", n))
	}

	// The next writer replaces the index.
	require.NoError(t, os.WriteFile(filepath.Join(dir, indexFile), whole[:len(whole)-5], 0o600))
	x = openIndex(dir)
	x.add(at(7), hash(7))
	x.save()
	require.Equal(t, map[stat]string{at(7): hash(7)}, openIndex(dir).known)
}
