package documents

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
)

// newPool returns a pool that recognises test documents. It checks for leftover files, so the test cannot be
// parallel.
func newPool(t *testing.T, o Options) *Pool {
	t.Helper()
	goroutines := goleak.IgnoreCurrent()
	p := NewPool(o)
	p.recognise = recogniseTest
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		if !t.Failed() && t.Name() == strings.SplitN(t.Name(), "/", 2)[0] {
			goleak.VerifyNone(t, goroutines)
		}
	})
	return p
}

// got is a document with its text.
type got struct {
	Document
	text string
}

func convertAll(t *testing.T, p *Pool, name string, data []byte) []got {
	t.Helper()
	var all []got
	err := p.Convert(t.Context(), Job{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))},
		func(d Document) error {
			g := got{Document: d}
			if d.Text != nil {
				b, err := io.ReadAll(d.Text)
				require.NoError(t, err)
				g.text = string(b)
			}
			all = append(all, g)
			return nil
		})
	require.NoError(t, err)
	return all
}

func convertOne(t *testing.T, p *Pool, what string) got {
	t.Helper()
	all := convertAll(t, p, "doc", []byte("TEST "+what))
	require.Len(t, all, 1)
	return all[0]
}

func TestADocumentWithParts(t *testing.T) {
	d := convertOne(t, newPool(t, Options{}), "pages\none\fzwei\xff\fdrei\n")
	require.Equal(t, "doc", d.Name)
	require.Equal(t, "pages", d.Kind)
	require.Equal(t, 3, d.Pages)
	require.Empty(t, d.Why)
	require.Equal(t, []string{"1 page without text"}, d.Notes)
	require.Equal(t, "Title: All [31mpages\n\n--- page 1 ---\none\n\n--- page 2 ---\nzwei\uFFFD\n\n--- page 3 ---\ndrei\n", d.text)
	var parts []string
	for _, p := range d.Parts {
		parts = append(parts, p.String()+"="+d.text[p.Offset:p.Offset+p.Size])
	}
	require.Equal(t, []string{"page 1=one", "page 2=zwei\uFFFD", "page 3=drei\n"}, parts)
}

// A failure is reported, earlier output is kept, and the next document is converted.
func TestADocumentThatGoesWrongCostsItselfOnly(t *testing.T) {
	const mebi = 1 << 20
	for what, want := range map[string]struct {
		why, text string
		options   Options
	}{
		"half":      {"the second half is damaged", "the first half", Options{}},
		"password":  {"password-protected", "", Options{}},
		"panic":     {"the converter crashed: panicked: runtime error: index out of range", "before", Options{}},
		"goroutine": {"the converter crashed: in another goroutine", "", Options{}},
		"deep":      {"nested too deeply", "", Options{}},
		"exit":      {"the converter crashed", "", Options{}},
		"loop": {
			"takes longer than 2s (--convert-timeout)", "--- page 1 ---\nbefore\n\n--- page 2 ---\n",
			Options{Timeout: 2 * time.Second},
		},
		"patient": {"takes longer than 2s (--convert-timeout)", "before", Options{Timeout: 2 * time.Second}},
		"memory": {
			"more than 200 MiB of memory (--convert-memory)",
			"--- page 1 ---\nbefore\n\n--- page 2 ---\n",
			Options{Memory: 200 * mebi},
		},
		"one big piece": {"more than 200 MiB of memory (--convert-memory)", "", Options{Memory: 200 * mebi}},
		"flood": {
			"its text is larger than the limit of 1 MiB", strings.Repeat("é", mebi/2),
			Options{Output: mebi},
		},
		"stderr":     {"the converter crashed: at the disco", "", Options{}},
		"nothing":    {"it is empty", "", Options{}},
		"unheard of": {"the format test-unheard of is not supported", "", Options{}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if raceEnabled && (what == "memory" || what == "one big piece" || what == "deep") {
				t.Skip("SKIP: the race detector has limits of its own")
			}
			p := newPool(t, want.options)
			if want.options.Timeout > 0 {
				p.grace = 500 * time.Millisecond
			}
			d := convertOne(t, p, what+"\n")
			require.Contains(t, d.Why, want.why)
			require.Equal(t, want.text, d.text)
			require.Equal(t, what == "half" || what == "password" ||
				what == "nothing", d.Lasting, "whether each try ends like this")
			d = convertOne(t, p, "plain\nthe next")
			require.Equal(t, "the next", d.text)
		})
	}
}

func TestMembersStandBehindTheirDocument(t *testing.T) {
	p := newPool(t, Options{})
	all := convertAll(t, p, "in\x1bbox/a.eml", []byte("TEST mail\none\fTEST half\n\fTEST mail\ntwo\fthree"))
	var lines []string
	for _, d := range all {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%v", d.Name, d.Kind, d.text, d.Why, d.Raw))
		require.Equal(t, d.Why != "", d.Lasting)
	}
	require.Equal(t, []string{
		"inbox/a.eml|mail|hello world||false",
		"inbox/a.eml!/part1.txt||one||true",
		"inbox/a.eml!/part2.txt|test-half|the first half|the second half is damaged|false",
		"inbox/a.eml!/part3.txt|mail|hello world||false",
		"inbox/a.eml!/part3.txt!/part1.txt||two||true",
		"inbox/a.eml!/part3.txt!/virus.exe|||it is a program|false",
		"inbox/a.eml!/part4.txt||three||true",
		"inbox/a.eml!/virus.exe|||it is a program|false",
	}, lines)
	require.Equal(t, time.Unix(1e9, 0).UTC(), all[1].Modified)
}

// packed returns an archive of files, given as pairs of name and content.
func packed(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		require.NoError(t, err)
		_, err = io.WriteString(w, pairs[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestPathsOfMembersAreOnlyNames(t *testing.T) {
	all := convertAll(t, newPool(t, Options{}), "a.zip", packed(t,
		"../../etc/passwd", "1", "/root/x", "2", `C:\Windows\y`, "3", "a/./b/../c", "4", "..", "5", "tab\there\u202e",
		"6", strings.Repeat("long/", 1000)+"x", "7"))
	var names []string
	for _, d := range all {
		names = append(names, strings.TrimPrefix(d.Name, "a.zip!/"))
	}
	require.Equal(t, []string{"etc/passwd", "root/x", "Windows/y", "a/b/c", "member 5", "tab here"}, names[:6])
	require.Less(t, len(names[6]), 510)
}

// Members are in the order of their container, however long each takes, and nested containers do not deadlock.
func TestManyMembersInContainersInContainers(t *testing.T) {
	var pairs []string
	var want []string
	for i := range 5 {
		var inner []string
		for j := range 100 {
			text := fmt.Sprintf("%d/%d", i, j)
			if j%10 == 0 {
				text = "TEST plain\n" + text
			}
			inner = append(inner, fmt.Sprintf("%03d", j), text)
			want = append(want, fmt.Sprintf("%d/%d", i, j))
		}
		pairs = append(pairs, fmt.Sprintf("%d.zip", i), string(packed(t, inner...)))
	}
	data := packed(t, "all.zip", string(packed(t, pairs...)))
	p := newPool(t, Options{Workers: 2})
	var texts []string
	for _, d := range convertAll(t, p, "a.zip", data) {
		require.Empty(t, d.Why)
		texts = append(texts, d.text)
	}
	require.Equal(t, want, texts)
}

func TestContainersInContainersEnd(t *testing.T) {
	data := []byte("the core")
	for range maxDepth + 3 {
		data = packed(t, "in.zip", string(data))
	}
	all := convertAll(t, newPool(t, Options{}), "a.zip", data)
	require.Len(t, all, 1)
	require.Contains(t, all[0].Why, "in more than 6 containers, as in a zip bomb")
}

func TestABombEnds(t *testing.T) {
	p := newPool(t, Options{Output: 1 << 20})
	all := convertAllUpTo(t, p, 8<<20, []byte("TEST bomb\n"))
	require.Len(t, all, 2)
	require.Contains(t, all[0].Why, "it unpacks to more than 8 MiB, as a zip bomb does")
	require.Equal(t, "doc!/zeros", all[1].Name)
	require.Equal(t, "only part of it arrived", all[1].Why)
}

// convertAllUpTo is convertAll with a lower limit for members' bytes.
func convertAllUpTo(t *testing.T, p *Pool, most int64, data []byte) []got {
	t.Helper()
	p.members = most
	return convertAll(t, p, "doc", data)
}

func TestAFileIsReadInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	text := strings.Repeat("0123456789abcdef", 3*inline/16)
	require.NoError(t, os.WriteFile(path, []byte("skipped TEST plain\n"+text+"behind"), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	p := newPool(t, Options{})
	size := int64(len("TEST plain\n" + text))
	for name, r := range map[string]io.ReaderAt{
		"part of a file": io.NewSectionReader(f, 8, size),
		"no file":        readerAt{io.NewSectionReader(f, 8, size)},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			require.NoError(t, p.Convert(t.Context(), Job{Name: "x", Bytes: r, Size: size}, func(d Document) error {
				calls++
				require.Empty(t, d.Why)
				b, err := io.ReadAll(d.Text)
				require.NoError(t, err)
				require.True(t, text == string(b), "the text is another one: %d bytes", len(b))
				return nil
			}))
			require.Equal(t, 1, calls)
		})
	}
}

// readerAt hides the type of the reader.
type readerAt struct{ io.ReaderAt }

// A worker is not reused if its converter may keep state between documents.
func TestADocumentLearnsNothingOfTheOneBefore(t *testing.T) {
	p := newPool(t, Options{Workers: 1})
	for range 3 {
		require.Equal(t, "1", convertOne(t, p, "remembers\n").text)
		require.Equal(t, "x", convertOne(t, p, "plain\nx").text)
	}
}

func TestAConversionIsCancelled(t *testing.T) {
	p := newPool(t, Options{})
	why := errors.New("enough")
	for what, data := range map[string]string{
		"one that hangs": "TEST loop\n", "a member that hangs": "TEST mail\na\fTEST loop\n\fb",
	} {
		t.Run(what, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			err := p.Convert(ctx, Job{Name: "x", Bytes: strings.NewReader(data), Size: int64(len(data))},
				func(Document) error { return nil })
			require.ErrorIs(t, err, why)
		})
	}
	t.Run("by the one who takes", func(t *testing.T) {
		data := packed(t, "a", "1", "b", "TEST loop\n", "c", "3")
		err := p.Convert(t.Context(), Job{Name: "x", Bytes: bytes.NewReader(data), Size: int64(len(data))},
			func(Document) error { return why })
		require.ErrorIs(t, err, why)
	})
	t.Run("before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		err := p.Convert(ctx, Job{Name: "x", Bytes: strings.NewReader("TEST plain\n"), Size: 11}, func(Document) error {
			return nil
		})
		require.ErrorIs(t, err, why)
	})
}

// Where workers cannot be locked in, only plain parsers run, unless the level was requested explicitly.
func TestWithoutALockDownOnlyPagesAreConverted(t *testing.T) {
	if raceEnabled {
		t.Skip("SKIP: with the race detector everything is converted without a lock-down")
	}
	p := newPool(t, Options{Level: sandbox.Basic})
	require.Equal(t, "pages", convertOne(t, p, "pages\nx").Kind, "asked for by name")
	p = newPool(t, Options{Level: sandbox.Basic})
	p.options.Level = sandbox.Best
	p.workers = basicWorkers{p.workers}
	d := convertOne(t, p, "pages\nx")
	require.Empty(t, d.text)
	require.Contains(t, d.Why, "--sandbox=basic")
	require.Equal(t, "x", convertOne(t, p, "plain\nx").text)
	require.Contains(t, convertOne(t, p, "pages\nx").Why, "--sandbox=basic")
}

// basicWorkers simulate a system without a lock-down.
type basicWorkers struct{ workers }

func (b basicWorkers) Start(
	ctx context.Context, k sandbox.Kind, _ sandbox.Level, admit otherworker.Admit,
) (*sandbox.Worker, error) {
	return b.workers.Start(ctx, k, sandbox.Basic, admit)
}

func TestManyAtOnce(t *testing.T) {
	p := newPool(t, Options{Workers: 3})
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			data := fmt.Sprintf("TEST %s\n%d", []string{"plain", "pages", "half", "panic"}[i%4], i)
			calls := 0
			err := p.Convert(t.Context(), Job{Name: "x", Bytes: strings.NewReader(data), Size: int64(len(data))},
				func(d Document) error {
					calls++
					return nil
				})
			assert.NoError(t, err, i)
			assert.Equal(t, 1, calls, "documents of job %d", i)
		})
	}
	all.Wait()
}

func TestTheVersionOfAContainerCoversAll(t *testing.T) {
	require.Empty(t, Version(format.Text))
	require.Regexp(t, `^html/\d+\.1$`, Version(format.HTML))
	before := Version(testForm("mail"))
	require.Regexp(t, `^test-mail/1\.1-[0-9a-f]{8}$`, before)
	converters["test-new"] = converter{version: 1}
	defer delete(converters, format.Form("test-new"))
	require.NotEqual(t, before, Version(testForm("mail")))
}

// TestAJobWithManyDocumentsLetsOthersIn: a free slot goes to the job with fewer running conversions, however many
// documents of the other are waiting.
func TestAJobWithManyDocumentsLetsOthersIn(t *testing.T) {
	p := newPool(t, Options{Workers: 1})
	synctest.Test(t, func(t *testing.T) {
		require.NoError(t, p.enter(t.Context(), "mail"))
		in := make(chan string, 21)
		enter := func(job string) {
			go func() {
				if p.enter(t.Context(), job) == nil {
					in <- job
				}
			}()
			synctest.Wait()
		}
		for range 20 {
			enter("mail")
		}
		enter("letter")
		p.leave("mail")
		first := <-in
		p.leave(first)
		for range 20 {
			p.leave(<-in)
		}
		require.Equal(t, "letter", first)
	})
}
