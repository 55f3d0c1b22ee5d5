package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox/internal/jail"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/answer"
)

// hostileEnv makes the test binary a worker that has been taken over: it starts as an honest one does and then does
// what the variable says.
const hostileEnv = "RLM_TEST_HOSTILE"

// The test binary is the worker, so this must come before anything else.
func init() {
	name := os.Getenv(hostileEnv)
	if name == "" {
		return
	}
	if name == "exits in init" {
		_, _ = os.Stderr.WriteString("config: there is no database\n")
		os.Exit(3)
	}
	_ = os.Setenv(worker.Env, worker.Marker(worker.Cells, string(open), 0, 0))
	_, rw, ok := worker.Started(worker.Cells)
	if !ok {
		os.Exit(9)
	}
	code := make(chan int)
	go func() {
		h := &hostile{Conn: wire.Worker(rw), raw: rw}
		var layers jail.Layers
		if nativeActs[name] != nil { // what native code can do from inside
			layers = jail.Lock(jail.Options{})
		}
		h.send(wire.Header{Op: wire.Locked}, wire.LockedMeta{Layers: layers}, nil)
		for {
			f, err := h.Receive()
			if err != nil {
				code <- 0
				return
			}
			switch f.Op {
			case wire.Init, wire.Context:
				h.send(wire.Header{Op: wire.Ready}, wire.ReadyMeta{}, nil)
			case wire.Run:
				if act := nativeActs[name]; act != nil {
					act(h, f.Cell)
				} else {
					hostileActs[name](h, f.Cell)
				}
			}
		}
	}()
	os.Exit(<-code)
}

type hostile struct {
	*wire.Conn
	raw interface{ Write([]byte) (int, error) }
}

func (h *hostile) send(head wire.Header, meta any, body []byte) { _ = h.Send(head, meta, body) }

func (h *hostile) call(id uint64, cell int, meta wire.CallMeta, body string) {
	h.send(wire.Header{Op: wire.Call, ID: id, Cell: cell}, meta, []byte(body))
}

func (h *hostile) result(cell int, r repl.Result, tail string) {
	h.send(wire.Header{Op: wire.Result, Cell: cell}, wire.ResultMeta{Result: r, Sound: true}, []byte(tail))
}

var hostileActs = map[string]func(h *hostile, cell int){
	"announces 4 GB": func(h *hostile, _ int) { _, _ = h.raw.Write([]byte{255, 255, 255, 255, 0, 2}) },
	"no JSON":        func(h *hostile, _ int) { _, _ = h.raw.Write([]byte("\x00\x00\x00\x06\x00\x04nope")) },
	"long header": func(h *hostile, _ int) {
		b := binary.BigEndian.AppendUint32(nil, 60000)
		_, _ = h.raw.Write(append(binary.BigEndian.AppendUint16(b, 59000), make([]byte, 60000)...))
	},
	"unknown frame":       func(h *hostile, c int) { h.send(wire.Header{Op: "shell", Cell: c}, nil, nil) },
	"frame of a host":     func(h *hostile, c int) { h.send(wire.Header{Op: wire.Run, Cell: c}, nil, nil) },
	"result of another":   func(h *hostile, c int) { h.result(c+1, repl.Result{}, "") },
	"call for another":    func(h *hostile, c int) { h.call(1, c-1, wire.CallMeta{Impl: "llm_query"}, "") },
	"result without meta": func(h *hostile, c int) { h.send(wire.Header{Op: wire.Result, Cell: c}, nil, nil) },
	"same id twice": func(h *hostile, c int) {
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
	},
	"ids backwards": func(h *hostile, c int) {
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
		h.call(4, c, wire.CallMeta{Impl: "llm_query"}, "")
	},
	"too many calls": func(h *hostile, c int) {
		for id := range uint64(100) {
			h.call(id+1, c, wire.CallMeta{Impl: "wait", Prompt: 0}, "")
		}
	},
	"prompt beyond frame": func(h *hostile, c int) { h.call(1, c, wire.CallMeta{Prompt: 100}, "short") },
	"negative prompt":     func(h *hostile, c int) { h.call(1, c, wire.CallMeta{Prompt: -1}, "short") },
	"long prompt": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Prompt: 200 << 10}, strings.Repeat("x", 200<<10))
	},
	"long text": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: 200 << 10}}}, strings.Repeat("x", 200<<10))
	},
	"text beyond frame": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: 10}}}, "short")
	},
	"negative text": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: -10}}}, "short")
	},
	"text outside of the context": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{InContext: true, Offset: 1, Size: 1}}}, "")
	},
	"text that overflows": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{InContext: true, Offset: 1<<63 - 1, Size: 1<<63 - 1}}}, "")
	},
	"floods output": func(h *hostile, c int) {
		for range 100 {
			h.send(wire.Header{Op: wire.Print, Cell: c}, nil, make([]byte, 64<<10))
		}
	},
	"long tail":    func(h *hostile, c int) { h.result(c, repl.Result{}, strings.Repeat("x", 100<<10)) },
	"long answer":  func(h *hostile, c int) { h.send(wire.Header{Op: wire.Final, Cell: c}, nil, make([]byte, 200<<10)) },
	"unasked peek": func(h *hostile, c int) { h.send(wire.Header{Op: wire.Peek}, wire.PeekMeta{}, nil) },
	"sends files":  func(h *hostile, c int) { h.send(wire.Header{Op: wire.Print, Cell: c}, nil, []byte("x")); h.sendFile(c) },
	"hangs up":     func(h *hostile, _ int) { _ = h.Close(); time.Sleep(time.Minute) },
	"floods stderr": func(*hostile, int) {
		for {
			_, _ = os.Stderr.WriteString(strings.Repeat("panic: x\n", 1000))
		}
	},
	"does nothing": func(*hostile, int) {},
	"exits":        func(*hostile, int) { os.Exit(0) },
	"huge result": func(h *hostile, c int) {
		h.result(c, repl.Result{
			Value: strings.Repeat("v", 1<<20),
			Error: &repl.CellError{Kind: "Hacked", Message: strings.Repeat("m", 500<<10), Line: -5},
			Notes: make([]string, 50_000),
			Final: &answer.FinalOutput{Answer: "smuggled"},
		}, "")
	},
	"two answers": func(h *hostile, c int) {
		h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"}, []byte("first"))
		h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"}, []byte("second"))
		h.result(c, repl.Result{}, "")
	},
	"talks between cells": func(h *hostile, c int) {
		var frames unsent // in one write: the host freezes a worker as soon as it has its result
		together := &hostile{Conn: wire.Worker(&frames)}
		together.result(c, repl.Result{}, "")
		together.result(c+1, repl.Result{Value: "forged"}, "")
		_, _ = h.raw.Write(frames.Bytes())
	},
}

// unsent keeps what is sent.
type unsent struct{ bytes.Buffer }

func (*unsent) Close() error { return nil }

func (h *hostile) sendFile(cell int) {
	_ = h.Send(wire.Header{Op: wire.Print, Cell: cell}, nil, nil, os.Stderr)
}

// takenOver is a session whose first worker is hostile.
func takenOver(t *testing.T, name string) *Session {
	t.Helper()
	s := &Session{
		cfg: Config{Level: Basic, Builtins: builtins.Standard(termination.Response), Call: func(ctx context.Context, c Call) Reply {
			if c.Impl == "wait" {
				<-ctx.Done()
			}
			return Reply{}
		}},
		limits: Limits{
			CellTime: 2 * time.Second, Prompt: 100 << 10, Text: 100 << 10, Answer: 100 << 10, InFlight: 64,
		}.WithDefaults(),
		workers: NewWorkers(2, 0), owned: true, next: 1,
	}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	p, err := launch(t.Context(), open, func(cmd *exec.Cmd) error {
		cmd.Env = []string{hostileEnv + "=" + name}
		return s.workers.starter.run(cmd)
	})
	require.NoError(t, err)
	p.gate.configure(s.limits, s.workers.roomAt(0))
	require.NoError(t, p.initialise(t.Context(), wire.InitMeta{}, s.limits, Context{}))
	s.workers.live[p] = new(lease)
	s.worker = p
	return s
}

func TestHostSurvivesAWorkerThatWasTakenOver(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector slows the test binary's own start")
	}
	kinds := map[string]repl.Kind{
		"floods stderr": repl.KindGoroutinePanic,
		"does nothing":  repl.KindTimeout,
		"exits":         repl.KindWorkerExit,
	}
	for name := range hostileActs {
		switch name {
		case "huge result", "two answers", "talks between cells":
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := takenOver(t, name)
			began := time.Now()
			res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
			require.NoError(t, err)
			require.NotNil(t, res.Error)
			want := repl.KindProtocolViolation
			if k, ok := kinds[name]; ok {
				want = k
			}
			require.Equal(t, want, res.Error.Kind, res.Error.Message)
			require.NotNil(t, res.Restore)
			require.Less(t, time.Since(began), time.Minute)
			res, err = s.Run(t.Context(), Cell{Source: "y := 2"})
			require.NoError(t, err)
			require.Nil(t, res.Error)
		})
	}
}

func TestWhatAHostileWorkerReportsIsCutToSize(t *testing.T) {
	s := takenOver(t, "huge result")
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Equal(t, repl.KindPanic, res.Error.Kind)
	require.Zero(t, res.Error.Line)
	require.Less(t, len(res.Error.Message), 17<<10)
	require.Less(t, len(res.Value), 65<<10)
	require.Len(t, res.Notes, 64)
	require.Nil(t, res.Final, "an answer has its own frame")
}

// A package of the program may read its configuration in init, and exit.
func TestAWorkerThatEndsInInitIsNoticedAtOnce(t *testing.T) {
	w := NewWorkers(1, 0)
	defer func() { require.NoError(t, w.Close()) }()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	_, err := launch(ctx, open, func(cmd *exec.Cmd) error {
		cmd.Env = []string{hostileEnv + "=exits in init"}
		return w.starter.run(cmd)
	})
	require.ErrorContains(t, err, "config: there is no database")
	require.ErrorContains(t, err, "init functions")
}

func TestTheFirstAnswerWins(t *testing.T) {
	s := takenOver(t, "two answers")
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "first", res.Final.Answer)
}

func TestAWorkerThatTalksBetweenCellsIsReplaced(t *testing.T) {
	s := takenOver(t, "talks between cells")
	_, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !s.worker.alive() }, time.Minute, time.Millisecond)
	res, err := s.Run(t.Context(), Cell{Source: "2 + 3"})
	require.NoError(t, err)
	require.NotEqual(t, "forged", res.Value)
	require.NotNil(t, res.Restore)
	require.Contains(t, res.Restore.Why, "broke the rules")
}
