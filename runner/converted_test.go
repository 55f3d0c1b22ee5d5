package runner_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// inFolderOf is inFolder with documents from the converters' test corpus, which other programs made.
func inFolderOf(t *testing.T, files map[string]string, names ...string) {
	t.Helper()
	from, err := filepath.Abs("../internal/documents/testdata/corpus")
	require.NoError(t, err)
	inFolder(t, files)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
}

// olderVersion converts like a version of the converter before an upgrade.
type olderVersion struct{ text string }

func (o olderVersion) Convert(_ context.Context, job documents.Job, yield func(documents.Document) error) error {
	text := fmt.Sprintf("--- page 1 ---\n%s\n", o.text)
	return yield(documents.Document{
		Name: job.Name, Kind: "docx", Pages: 1, Text: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))),
		Parts: []documents.Part{{
			Part: format.Part{Kind: format.Page, Number: 1}, Offset: 15, Size: int64(len(o.text)),
		}},
	})
}

// convertedBefore caches an older version's conversion of a file.
func convertedBefore(t *testing.T, dir, file, text string) {
	t.Helper()
	v := cache.New(cache.Config{Dir: dir, Bound: cache.DefaultBound, Convert: olderVersion{text}.Convert})
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	info, err := f.Stat()
	require.NoError(t, err)
	head := make([]byte, format.HeadLen)
	n, _ := io.ReadFull(f, head)
	by, _ := documents.Recognise(head[:n], info.Size(), file)
	require.NotEmpty(t, by)
	_, err = v.Convert(t.Context(), by, documents.Job{Name: file, Bytes: f, Size: info.Size()},
		func(documents.Document) error { return nil })
	require.NoError(t, err)
	v.Close()
}

// A run keeps the text that it saw, even if the converter now produces another one or the documents are gone. A new
// run gets the new text.
func TestARunKeepsTheTextThatItSaw(t *testing.T) {
	const old = "What the older version made of the letter."
	script := []string{fence(`page := docs[0].Parts[0]
fmt.Println(docs[0].Kind, docs[0].Pages, docs[0].Text)`), fence(`FINAL(page.Text + cite(page))`)}
	for name, kept := range map[string]int64{"with a copy of all": 1 << 20, "with a copy of what was converted": 0} {
		t.Run(name, func(t *testing.T) {
			inFolderOf(t, map[string]string{"notes.txt": "plain text\n"}, "letter.docx")
			before, err := os.ReadFile("letter.docx")
			require.NoError(t, err)
			conversions := t.TempDir()
			convertedBefore(t, conversions, "letter.docx", old)
			options := []runner.Option{
				locked, runner.WithKeptContext(kept), runner.WithConversion(runner.Conversion{Dir: conversions}),
			}
			r := newRunner(t, root(script, nil), options...)
			res, err := r.Answer(timeout(t), "what does it say?", runner.Path("letter.docx"), runner.Path("notes.txt"))
			require.NoError(t, err)
			requireOld := func(res runner.Result) {
				t.Helper()
				require.True(t, strings.HasPrefix(res.Answer, old), "%s: %s", res.Answer, res.Reason)
				require.Len(t, res.Evidence, 1)
				require.Equal(t, old, res.Evidence[0].Quote)
			}
			requireOld(res)
			added := dataOf[trajectory.ContextAdded](eventsOf(t, r, res.RunID))
			require.Len(t, added, 1)
			sum := sha256.Sum256(before)
			require.Contains(t, added[0].Files.String(), hex.EncodeToString(sum[:]),
				"the log names the bytes that were converted")
			require.Regexp(t, `"converter":"zip/[\d.]+`, added[0].Files.String())

			// An upgrade invalidates the cached conversions; clearing the cache has the same effect.
			n, _, err := cache.Clear(conversions)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			again := func(what string) {
				t.Helper()
				dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool {
					_, ok := ev.Data.(trajectory.CellEnded)
					return ok
				})
				resumed, err := runner.Collect(newRunner(
					t, root(script, nil), append(options, runner.WithDataDir(dir))...).Resume(timeout(t), res.RunID))
				require.NoError(t, err, what)
				requireOld(resumed)
				forked, err := runner.Collect(r.Fork(timeout(t), res.RunID, 1, runner.WithModel(root(script, nil))))
				require.NoError(t, err, what)
				requireOld(forked)
			}
			again("another version")
			fresh, err := newRunner(t, root(script[:1], nil), options...).NewSession(
				timeout(t), runner.Path("letter.docx"))
			require.NoError(t, err)
			require.NoError(t, fresh.Close())
			list, err := cache.List(conversions)
			require.NoError(t, err)
			require.Len(t, list, 1, "a new run converts again")

			require.NoError(t, os.WriteFile("letter.docx", before[:len(before)/2], 0o600))
			again("a damaged document")
			require.NoError(t, os.Remove("letter.docx"))
			again("a document that is gone")
		})
	}
}

// For a context above the size limit, only converted text is copied and the rest is read from files: together they
// are the same text.
func TestALargeContextWithConvertedDocuments(t *testing.T) {
	inFolderOf(t, nil, "letter.docx", "article.pdf", "nested.zip", "costs.xlsx")
	line := strings.Repeat("x", 1023) + "\n"
	require.NoError(t, os.WriteFile("a-large.log", []byte(strings.Repeat(line, 10<<10)), 0o600))
	require.NoError(t, os.WriteFile("z-large.log", []byte(strings.Repeat(line, 10<<10)), 0o600))
	r := newRunner(t, root([]string{
		fence(`n := len(docs)
FINAL(fmt.Sprint(n, " ", len(context), " ", cite(docs[1].Parts[1])))`), fence(`FINAL(fmt.Sprint(len(docs) == n, " ", len(context), " ", docs[1].Parts[1].Number))`),
	}, nil))
	s, err := r.NewSession(timeout(t), runner.Path("."))
	require.NoError(t, err)
	first := ask(t, s, "how much?")
	require.True(t, first.HasAnswer, first.Reason)
	documents, names := s.Documents(), states(s)
	require.Greater(t, len(documents), 10)
	require.NoError(t, s.Close())

	saved, err := filepath.Glob(filepath.Join(r.RunsDir(), s.ID(), "context-*", "*"))
	require.NoError(t, err)
	require.Len(t, saved, 1)
	info, err := os.Stat(saved[0])
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1<<20), "the logs are not copied")

	for _, name := range []string{"letter.docx", "article.pdf", "nested.zip", "costs.xlsx"} {
		require.NoError(t, os.Remove(name))
	}
	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	now := s.Documents()
	for i := range now {
		require.True(t, now[i].State == runner.DocumentGone ||
			strings.HasSuffix(now[i].Name, "large.log"), "%s is %q", now[i].Name, now[i].State)
		now[i].State = documents[i].State
	}
	require.Equal(t, documents, now)
	require.Equal(t, names, strings.ReplaceAll(states(s), " gone", ""))
	second := ask(t, s, "and now?")
	require.Regexp(t, `^true \d+ 2$`, second.Answer, second.Reason)
	require.Equal(t, strings.Fields(first.Answer)[1], strings.Fields(second.Answer)[1])
}

// Documents that are added, removed and read again are converted like others, and the offsets of their parts stay
// right.
func TestConvertedDocumentsComeAndGo(t *testing.T) {
	inFolderOf(t, map[string]string{"a.txt": "plain\n"}, "letter.docx", "article.pdf", "attachments.eml")
	check := fence(`var said []string
for _, d := range docs {
	last := ""
	if n := len(d.Parts); n > 0 {
		last = d.Parts[n-1].Text
		if !strings.HasSuffix(strings.TrimSpace(d.Text), strings.TrimSpace(last)) { last = "elsewhere" } else { last = fmt.Sprint(n) }
	}
	said = append(said, strings.TrimSpace(path.Base(d.Name)+" "+d.Kind+" "+last))
}
FINAL(strings.Join(said, ", "))`)
	r := newRunner(t, root([]string{check, check, check, check, check}, nil), locked)
	s, err := r.NewSession(timeout(t), runner.Path("a.txt"))
	require.NoError(t, err)
	require.Equal(t, "a.txt text", ask(t, s, "1").Answer)
	require.NoError(t, s.AddContext(timeout(t), runner.Path("article.pdf"), runner.Path("attachments.eml")))
	const mail = "attachments.eml mail, prices.csv text, Protokoll – Größe.docx docx, attachment.eml mail"
	require.Equal(t, "a.txt text, article.pdf pdf 2, "+mail, ask(t, s, "2").Answer)
	require.NoError(t, s.RemoveContext(timeout(t), "a.txt"))
	require.NoError(t, s.RemoveContext(timeout(t), "attachments.eml!/prices.csv"))
	require.Equal(t, "article.pdf pdf 2, "+strings.Replace(mail, " prices.csv text,", "", 1), ask(t, s, "3").Answer)

	letter, err := os.ReadFile("letter.docx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("article.pdf", letter, 0o600))
	require.NoError(t, s.Reread(timeout(t)))
	require.Equal(t, "article.pdf docx, "+mail, ask(t, s, "4").Answer,
		"the file is another now, and the mail is whole again")
	require.NoError(t, s.Close())

	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	require.Equal(t, "article.pdf docx, "+mail, ask(t, s, "5").Answer)
	require.NoError(t, s.Close())
}

// A child run over a slice of a document knows the pages in the slice.
func TestAChildKnowsThePagesOfItsSlice(t *testing.T) {
	inFolderOf(t, map[string]string{"a.txt": "plain\n"}, "article.pdf")
	model := llm.ScriptedFunc("tree", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Path != "" {
			return llm.Response{Content: fence(`said := ""
for _, d := range docs {
	said += fmt.Sprint(d.Kind, " of ", d.Pages, ":")
	for _, p := range d.Parts { said += fmt.Sprint(" ", p.Number, "=", strings.Fields(p.Text)[0]) }
}
FINAL(said)`)}, nil
		}
		return llm.Response{Content: fence(`m := docs[1]
own := ""
for _, p := range m.Parts { own += fmt.Sprint(" ", p.Number, "=", strings.Fields(p.Text)[0]) }
second := m.Parts[1]
from := strings.Index(m.Text, "--- page 2 ---")
FINAL(strings.Join([]string{own,
	rlm_query("all", m.Text), rlm_query("a page", second.Text), rlm_query("the rest", m.Text[from:]), rlm_query("everything", context)}, "\n"))`)}, nil
	})
	r := newRunner(t, model, locked)
	res, err := r.Answer(timeout(t), "which pages?", runner.Path("a.txt"), runner.Path("article.pdf"))
	require.NoError(t, err)
	require.True(t, res.HasAnswer, res.Reason)
	require.Equal(t, " 1=On 2=References\npdf of 2: 1=On 2=References\npdf of 1: 2=References\npdf of 1: 2=References\ntext of 0:pdf of 2: 1=On 2=References", res.Answer)
}
