package chat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestPrintedInOrder(t *testing.T) {
	var cells []string
	for i := range 9 {
		cells = append(cells, inFence(fmt.Sprintf("fmt.Println(\"printed by\", %d)", i+1)))
	}
	cells = append(cells, inFence(`FINAL("the end")`))
	d := sitDown(t, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: strings.Join(cells, "\n")} })
	for range 5 {
		d.forget()
		d.line("go on")
		got := d.printed()
		last := 0
		for _, text := range []string{
			"go on", "── turn 1", "printed by 1", "printed by 2", "printed by 3",
			"printed by 8", "printed by 9", "Answer", "the end", "completed",
		} {
			at := strings.LastIndex(got, text)
			require.Greater(t, at, last, "%s in\n%s", text, got)
			last = at
		}
	}
}

func TestHelpInAnyScreen(t *testing.T) {
	d := sitDown(t, nil)
	for _, height := range []int{4, 10, 24, 30, 36, 100} {
		for _, width := range []int{30, 80, 200} {
			d.rests()
			d.take(tea.WindowSizeMsg{Width: width, Height: height})
			d.forget()
			d.line("/help")
			last := 0
			for _, c := range d.m.board.commands {
				at := regexp.MustCompile(`(?:^|\n) *(/` + c.name + `)(\s|$)`).FindStringSubmatchIndex(d.printed())
				require.NotNil(t, at, "%s in\n%s", c.name, d.printed())
				require.Greater(t, at[2], last, "%s stands in its order", c.name)
				last = at[2]
			}
			require.Contains(t, d.drawn(), "root · ", "the status line is there")
		}
	}
}

func TestWideErrorsAreBroken(t *testing.T) {
	d := sitDown(t, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Failing(401, strings.Repeat("nope", 200)) })
	d.line("> x := " + strings.Repeat("unknown", 40))
	require.Contains(t, d.printed(), "undefined")
	d.line("ask")
	require.Contains(t, d.printed(), "No answer")
}

func TestABrokenReplyStaysAndTheQueueComesBack(t *testing.T) {
	d := sitDown(t, func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: "half of a sentence that never ends", Fault: fakeapi.Hang, Pieces: 5}
	})
	d.types("first")
	d.keys("enter")
	d.sees("half of")
	d.types("second")
	d.keys("enter")
	d.types("third\nof two lines")
	d.keys("enter")
	require.Contains(t, d.drawn(), "queued: second")
	d.types("typing")
	d.keys("esc")
	d.rests()
	require.Contains(t, d.printed(), "a reply that was cut off")
	require.Contains(t, d.printed(), "half of")
	require.Contains(t, d.printed(), "/retry continues")
	require.Equal(t, "second\nthird\nof two lines\ntyping", d.input())
	require.Equal(t, 1, d.asked())
}

func TestCellsOverSeveralLines(t *testing.T) {
	d := sitDown(t, nil)
	d.types("> if true {")
	d.keys("enter")
	require.Equal(t, "> if true {\n", d.input())
	d.types(`fmt.Println("inside")`)
	d.keys("enter")
	d.line("}")
	require.Contains(t, d.printed(), "  inside")

	d.types("> for {")
	d.keys("enter", "enter")
	d.rests()
	require.Contains(t, d.printed(), "✗ cell 2", "a blank line ends what is not complete")
	require.Zero(t, d.asked())
}

func TestStickyCells(t *testing.T) {
	d := sitDown(t, nil)
	require.Contains(t, d.drawn(), "› ")
	d.line(">")
	require.Contains(t, d.drawn(), "go> ")
	d.line("x := 20")
	d.line("x + 2")
	require.Contains(t, d.printed(), "= 22")
	d.line("/vars")
	require.Contains(t, d.printed(), "x                int")
	require.Zero(t, d.asked())
	d.keys("backspace")
	require.Contains(t, d.drawn(), "› ")
	d.line("a question")
	require.Equal(t, 1, d.asked())
}

func TestCompletion(t *testing.T) {
	d := sitDown(t, nil)
	d.file("logs/app.log", "text\n")
	other, err := d.runner.NewSession(t.Context())
	require.NoError(t, err)
	require.NoError(t, other.Close())
	d.line("> type thing struct { Name string; Size int }; ts := []thing{{\"a\", 1}}; total := 0")
	for _, tt := range []struct{ name, typed, want string }{
		{"command", "/sess", "/sessions "},
		{"argument", "/mode t", "/mode task "},
		{"id", "/open " + other.ID()[:4], "/open " + other.ID() + " "},
		{"context", "> contex", "> context "},
		{"variable", "> tot", "> total "},
		{"package", "> stri", "> strings"},
		{"members of a package", "> strings.ContainsF", "> strings.ContainsFunc"},
		{"members of a variable", "> ts[0].N", "> ts[0].Name"},
		{"file", "what is in @lo", "what is in @logs/"},
		{"file in a folder", "/context add logs/a", "/context add logs/app.log "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.m.area.Reset()
			d.types(tt.typed)
			d.keys("tab")
			d.until("complete to "+tt.want, func() bool {
				return strings.HasPrefix(d.input(), tt.want) || d.m.menu.open
			})
			require.Contains(t, d.input(), strings.TrimSpace(tt.want))
			d.keys("esc")
		})
	}
	d.m.area.Reset()
	d.types("> ts[0].")
	d.keys("tab")
	d.sees("▸ Name")
	d.keys("down", "enter")
	require.Equal(t, "> ts[0].Size", d.input())
	require.Zero(t, d.asked())
}

func TestHelpForNames(t *testing.T) {
	d := sitDown(t, nil)
	d.line("grep?")
	require.Contains(t, d.printed(), "grep(")
	d.line("context?")
	require.Contains(t, d.printed(), "context string")
	d.line("> answerOf := map[string]int{\"a\": 42}")
	d.line("?answerOf")
	require.Contains(t, d.printed(), "set by cell 1")
	require.Zero(t, d.asked())
	d.line("why?")
	require.Equal(t, 1, d.asked(), "a word that is no name is a question")
}

func TestHistorySearch(t *testing.T) {
	d := sitDown(t, nil)
	for _, text := range []string{"> first := 1", "> second := 2", "> third := 3"} {
		d.line(text)
	}
	d.types("draft")
	d.keys("ctrl+r")
	d.types("ir")
	require.Equal(t, "> third := 3", d.input())
	d.keys("ctrl+r")
	require.Equal(t, "> first := 1", d.input())
	d.keys("ctrl+r")
	require.Contains(t, d.drawn(), "no more matches")
	d.keys("esc")
	require.Equal(t, "draft", d.input())
	d.keys("ctrl+r")
	d.types("SEC")
	d.keys("enter")
	require.Equal(t, "> second := 2", d.input(), "taken, not sent")
	d.keys("enter")
	d.rests()
	require.Contains(t, d.printed(), "cell 4")
}

func TestEscPasteEnterSends(t *testing.T) {
	d := sitDown(t, nil)
	d.keys("esc")
	d.take(tea.PasteMsg{Content: "pasted question"})
	d.keys("enter")
	d.rests()
	require.Equal(t, 1, d.asked())
	d.types("one")
	d.keys("esc", "enter")
	require.Equal(t, "one\n", d.input(), "Esc Enter is a new line")
}

func TestShellCommandsAreNoQuestions(t *testing.T) {
	d := sitDown(t, nil)
	d.line("!ls -la")
	require.Contains(t, d.printed(), "there is no shell here")
	require.Zero(t, d.asked())
}

func TestFilesThatAQuestionNames(t *testing.T) {
	d := sitDown(t, nil)
	d.file("notes.txt", "the notes\n")
	d.file("my notes.txt", "more notes\n")
	d.line("what is in @notes.txt, me@x.org, @you and @\"my notes.txt\"?")
	require.Contains(t, d.printed(), "the context is now 2 documents")
	require.Equal(t, 1, d.asked())
	d.line("and in @notes.txt?")
	_, docs := d.session()
	require.Len(t, docs.Documents, 2, "once is enough")

	asked := d.asked()
	d.line("what is in @not-there.txt?")
	require.Contains(t, d.printed(), "the question was not sent")
	require.Equal(t, "what is in @not-there.txt?", d.input(), "to be put right")
	require.Equal(t, asked, d.asked(), "nothing is paid for it")
}

func TestBudgetsAreConfirmed(t *testing.T) {
	d := sitDown(t, nil)
	d.line("/budget tokens 0")
	require.Contains(t, d.printed(), "any amount")
	d.line("/budget cost 3")
	require.Regexp(t, `cost +\$3\.00 at most`, d.printed())
	settings, _ := d.session()
	b := settings.Budgets
	require.InDelta(t, 3, b.Cost, 0)
	require.Zero(t, b.Tokens, "another one stays as it was set")
	d.line("/budget time 90")
	require.Regexp(t, `time +1m30s at most`, d.printed())
	settings, _ = d.session()
	b.Time = 90 * time.Second
	require.Equal(t, b, settings.Budgets)
	for _, wrong := range []string{
		"cost -1", "cost NaN", "cost", "tokens 1.5", "iterations -3", "pages 3", "time -5m", "time soon",
	} {
		d.forget()
		d.line("/budget " + wrong)
		require.Contains(t, d.printed(), "error", wrong)
	}
	settings, _ = d.session()
	require.Equal(t, b, settings.Budgets)
}

func TestACopyIsAsTheSessionWasSet(t *testing.T) {
	d := sitDown(t, nil)
	d.line("/mode task")
	require.Contains(t, d.drawn(), "mode task", "at 80 columns")
	d.line("do it")
	d.line("/mode response")
	d.line("/budget cost 3")
	d.line("/fork")
	require.NotContains(t, d.drawn(), "mode task")
	settings, _ := d.session()
	require.InDelta(t, 3, settings.Budgets.Cost, 0)
}

func TestExportSaysWhichFilesItWrites(t *testing.T) {
	d := sitDown(t, nil)
	for _, name := range []string{"s.htm5", "s.ipnb", "s", "", "s.pdf"} {
		d.forget()
		d.line("/export " + name)
		require.Contains(t, d.printed(), "ends in .md", name)
		require.NoFileExists(t, filepath.Join(d.folder, name+"x"))
	}
	d.line("a question")
	d.line("/export s.md")
	text, err := os.ReadFile("s.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "a question")
	d.line("/export s.jsonl")
	require.FileExists(t, "s.jsonl")
	for _, name := range []string{"s.html", "s.ipynb"} {
		d.line("/export " + name)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(text), "a question")
	}
}

func TestASessionWithoutAModel(t *testing.T) {
	d := sitDown(t, nil, func(o *Options) {
		o.NoModel = errors.New("name a model first")
		model := llm.ScriptedFunc("late", nil)
		o.Model = func(string) (llm.Model, error) { return model, nil }
	})
	require.Contains(t, d.drawn(), "no model")
	d.line("> 6 * 7")
	require.Contains(t, d.printed(), "= 42")
	d.line("a question")
	require.Contains(t, d.printed(), "name a model first")
	require.Equal(t, "a question", d.input())
	d.m.area.Reset()
	d.line("/model late")
	require.Contains(t, d.drawn(), "late ·")
}

func TestSkippedFilesAreToldOnceAndAtOnce(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("text\n"), 0o600))
	require.NoError(t, os.WriteFile(
		filepath.Join(folder, "b.png"), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01"), 0o600))
	d := sitDown(t, nil, func(o *Options) { o.Inputs = []runner.Input{runner.Path(folder)} })
	d.rests()
	require.Contains(t, d.printed(), "b.png")
	d.line("a question")
	require.Equal(t, 1, strings.Count(d.printed(), "b.png"), d.printed())
}

func TestTheEditorOpensOnceTheCommandIsDone(t *testing.T) {
	d := sitDown(t, nil)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	d.types("/edit")
	d.keys("enter")
	require.True(t, d.m.busy)
	d.until("open the editor", func() bool {
		drafts, err := filepath.Glob(filepath.Join(folder, "rlm-input-*"))
		require.NoError(t, err)
		if d.m.busy {
			require.Empty(t, drafts, "what is drawn of the command would be left above the input")
		}
		return len(drafts) == 1
	})
}

func TestLeaving(t *testing.T) {
	for name, leave := range map[string]func(*desk){
		"Ctrl-D":      func(d *desk) { d.keys("ctrl+d") },
		"Ctrl-C":      func(d *desk) { d.keys("ctrl+c", "ctrl+c") },
		"the command": func(d *desk) { d.types("/quit"); d.keys("enter") },
		"its alias":   func(d *desk) { d.types("/exit"); d.keys("enter") },
	} {
		t.Run(name, func(t *testing.T) {
			d := sitDown(t, nil)
			leave(d)
			d.until("leave", func() bool { return d.left })
			require.True(t, d.m.out.Empty(), "after everything is printed")
			require.Regexp(t, regexp.MustCompile(`^continue with: rlm open \w+$`), d.m.core.goOn())
		})
	}
}

func TestChangedDocuments(t *testing.T) {
	d := sitDown(t, nil)
	d.file("a.log", "one\n")
	d.file("b.log", "two\n")
	d.line("/context add a.log")
	d.line("/context add b.log")
	d.file("a.log", "one\nmore\n")
	require.NoError(t, os.Remove("b.log"))
	d.line("/docs")
	require.Regexp(t, `a\.log +grown`, d.printed())
	require.Regexp(t, `b\.log +gone`, d.printed())
	require.Contains(t, d.drawn(), "2 changed on disk")
	d.line("/docs reread")
	require.Contains(t, d.printed(), "the context is now 1 document")
	d.line("> len(context)")
	require.Contains(t, d.printed(), "= 9")
}

// TestALocalModelHasNoPrice: the endpoint of the tests is on this machine.
func TestALocalModelHasNoPrice(t *testing.T) {
	d := sitDown(t, nil)
	d.line("a question")
	require.Contains(t, d.printed(), "completed")
	require.NotContains(t, d.printed(), "price")
}

// Several paths become several documents. If one does not exist, none is added, and wrong arguments do not become a
// text.
func TestSeveralPathsAreSeveralDocuments(t *testing.T) {
	d := sitDown(t, nil)
	names := func() (names []string) {
		_, docs := d.session()
		for _, doc := range docs.Documents {
			names = append(names, filepath.Base(doc.Name))
		}
		return names
	}
	d.file("a.log", "one\n")
	d.file("sub/b.csv", "two\n")
	d.file("my notes.txt", "three\n")
	d.file("your notes.txt", "four\n")
	d.line("/context add a.log sub/b.csv")
	require.Contains(t, d.printed(), "added 2; the context is now 2 documents")
	d.line("/context add my notes.txt")
	require.Equal(t, []string{"a.log", "b.csv", "my notes.txt"}, names(), "a name is a name, also with blanks")
	for _, wrong := range []string{
		"add a.log my note.txt", "add nothing", "add some words", "adds a.log", "add \"a.log", "add", "text",
	} {
		d.forget()
		d.line("/context " + wrong)
		require.Contains(t, d.printed(), "error: ", wrong)
		require.Len(t, names(), 3, wrong)
	}
	d.line(`/context "your notes.txt" ./a.log`)
	require.Len(t, names(), 5)
	d.line("/context text a.log is a text here")
	require.Contains(t, names(), "text-6")
	require.Zero(t, d.asked())
}

// Input is printed above its output, so that the scrollback can be read.
func TestCommandsAreEchoed(t *testing.T) {
	d := sitDown(t, nil)
	for _, typed := range []string{"/docs", "/budget", "/help", "/nonsense", "grep?", "!ls", "/context add nothing"} {
		d.forget()
		d.line(typed)
		require.True(t, strings.HasPrefix(strings.TrimSpace(d.printed()), "› "+typed), d.printed())
		require.Equal(t, 1, strings.Count(d.printed(), "› "), typed)
	}
	d.line("/context text " + strings.Repeat("long ", 100))
	require.Contains(t, d.printed(), "…\nadded 1", "in a line")
}
