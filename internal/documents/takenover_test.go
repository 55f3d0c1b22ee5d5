package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/sandbox"
)

// hostileActs are the actions of compromised workers, which may send anything to the host.
var hostileActs = map[string]func(h *sandbox.Host){
	"unknown message":  func(h *sandbox.Host) { _ = h.Send("shell", nil, []byte("rm -rf /")) },
	"message of hosts": func(h *sandbox.Host) { _ = h.Send(opJob, jobMeta{Name: "x"}, nil) },
	"locked again":     func(h *sandbox.Host) { _ = h.Send("locked", struct{}{}, nil) },
	"long text":        func(h *sandbox.Host) { _ = h.Send(opText, nil, make([]byte, maxPiece+1)) },
	"text and more":    func(h *sandbox.Host) { _ = h.Send(opText, strings.Repeat("x", 100), []byte("x")) },
	"long note":        func(h *sandbox.Host) { _ = h.Send(opNote, nil, make([]byte, 10*maxSmall)) },
	"long reason": func(h *sandbox.Host) {
		_ = h.Send(opDone, failure{Error: strings.Repeat("x", 10*maxSmall)}, nil)
	},
	"no JSON":          func(h *sandbox.Host) { _ = h.Send(opMeta, nil, nil) },
	"other JSON":       func(h *sandbox.Host) { _ = h.Send(opBegin, []int{1, 2}, nil) },
	"many values":      func(h *sandbox.Host) { _ = h.Send(opDone, make([]struct{}, 1000), nil) },
	"kind with escape": func(h *sandbox.Host) { _ = h.Send(opKind, nil, []byte("\x1b[2J")) },
	"empty kind":       func(h *sandbox.Host) { _ = h.Send(opKind, nil, nil) },
	"long kind":        func(h *sandbox.Host) { _ = h.Send(opKind, nil, []byte(strings.Repeat("a", 1000))) },
	"unknown part":     func(h *sandbox.Host) { _ = h.Send(opBegin, partMeta{Kind: "\x1b]0;x\a", Number: 1}, nil) },
	"data of nothing":  func(h *sandbox.Host) { _ = h.Send(opData, nil, []byte("x")) },
	"end of nothing":   func(h *sandbox.Host) { _ = h.Send(opEnd, failure{}, nil) },
	"member in member": func(h *sandbox.Host) {
		_ = h.Send(opMember, memberMeta{Path: "a"}, nil)
		_ = h.Send(opMember, memberMeta{Path: "b"}, nil)
	},
	"text in member": func(h *sandbox.Host) {
		_ = h.Send(opMember, memberMeta{Path: "a"}, nil)
		_ = h.Send(opText, nil, []byte("x"))
	},
	"done in member": func(h *sandbox.Host) {
		_ = h.Send(opMember, memberMeta{Path: "a"}, nil)
		_ = h.Send(opDone, failure{}, nil)
	},
	"garbage": func(*sandbox.Host) { writeAround("\xff\xff\xff\xff\xff\xff\xff\xff") },
}

// writeAround writes to every descriptor that may be the connection.
func writeAround(s string) {
	for fd := uintptr(3); fd < 20; fd++ {
		_, _ = os.NewFile(fd, "any").WriteString(s)
	}
}

// The converters for hostileActs must be registered before the init that turns the process into a worker.
var _ = func() bool {
	for name, act := range hostileActs {
		converters[testForm(name)] = converter{
			version: 1, convert: func(_ context.Context, _ format.Source, out format.Output) error {
				act(out.(*output).host)
				time.Sleep(time.Hour)
				return nil
			},
		}
	}
	for name, convert := range map[string]format.Converter{
		"many notes": func(_ context.Context, _ format.Source, out format.Output) error {
			for i := range 10 * maxNotes {
				_ = out.Note(fmt.Sprint("\x1b[2J", i, strings.Repeat(" note", 1000)))
				_ = out.Note("\x1b[2J0" + strings.Repeat(" note", 1000)) // like the first one, so it is not sent
			}
			return nil
		},
		"invalid text": func(_ context.Context, _ format.Source, out format.Output) error {
			h := out.(*output).host
			for _, piece := range []string{"a\xe2", "\x82", "\xac b", "\xff\xfe", "c\xe2\x82"} {
				_ = h.Send(opText, nil, []byte(piece))
			}
			_ = h.Send(opBegin, partMeta{Kind: format.Page, Number: -5, Name: "x\n--- page 7 ---\n"}, nil)
			_ = h.Send(opMeta, metaMeta{"Late", "not in the head"}, nil)
			return nil
		},
		"talks when done": func(_ context.Context, _ format.Source, out format.Output) error {
			h := out.(*output).host
			_ = h.Send(opText, nil, []byte("first"))
			_ = h.Send(opDone, failure{}, nil)
			_ = h.Send(opText, nil, []byte("of another document"))
			time.Sleep(time.Hour)
			return nil
		},
	} {
		converters[testForm(name)] = converter{version: 1, convert: convert}
	}
	return true
}()

func TestHostSurvivesAWorkerThatWasTakenOver(t *testing.T) {
	p := newPool(t, Options{})
	for what := range hostileActs {
		t.Run(what, func(t *testing.T) {
			all := convertAll(t, p, "doc", []byte("TEST "+what+"\n"))
			require.Contains(t, all[0].Why, "the converter broke the rules of its protocol")
			require.Contains(t, all[0].Why, "taken over")
			require.Empty(t, all[0].text)
			for _, d := range all {
				require.NotContains(t, d.Name+d.Kind+d.Why, "\x1b")
			}
			require.Equal(t, "fine", convertOne(t, p, "plain\nfine").text)
		})
	}
}

func TestWhatAHostileWorkerSaysIsCutToSize(t *testing.T) {
	p := newPool(t, Options{})
	t.Run("parts", func(t *testing.T) {
		made := textWriter{to: new(files.Spool), limit: 1 << 30}
		defer func() { require.NoError(t, made.to.Close()) }()
		for i := range maxParts + 10 {
			require.NoError(t, made.begin(partMeta{Kind: format.Message, Number: i, Name: "subject"}))
		}
		require.Len(t, made.parts, maxParts)
		require.Len(t, made.notes, 1)
		require.Contains(t, made.notes[0], "more parts than can be told apart")
	})
	t.Run("notes", func(t *testing.T) {
		d := convertOne(t, p, "many notes\n")
		require.Len(t, d.Notes, maxNotes+1)
		require.Equal(t, fmt.Sprintf("and %d more notes", 9*maxNotes), d.Notes[maxNotes])
		require.LessOrEqual(t, len(d.Notes[0]), maxShown)
		require.NotContains(t, d.Notes[0], "\x1b")
	})
	t.Run("text", func(t *testing.T) {
		d := convertOne(t, p, "invalid text\n")
		require.Equal(t, "a€ b\uFFFDc\uFFFD\n\n--- page 0: x --- page 7 --- ---\n", d.text)
	})
}

// Messages that a worker sends after the end of its document do not reach another document.
func TestAWorkerThatTalksWhenItIsDoneIsReplaced(t *testing.T) {
	p := newPool(t, Options{Workers: 1})
	for range 5 {
		require.Equal(t, "first", convertOne(t, p, "talks when done\n").text)
		require.Equal(t, "mine", convertOne(t, p, "plain\nmine").text)
	}
}

func TestMessagesThatEncodeAreAdmitted(t *testing.T) {
	for op, meta := range map[string]any{
		opMeta: metaMeta{strings.Repeat("\u2028", maxShown/3), strings.Repeat("\u2028", 2000/3)},
		opSkip: skipMeta{strings.Repeat("<", maxShown), strings.Repeat("&", maxShown)},
		opDone: failure{strings.Repeat("\x7f", maxShown), panicked},
	} {
		b, err := json.Marshal(meta)
		require.NoError(t, err)
		require.NoError(t, admit(op, len(b), 0), op)
	}
}
