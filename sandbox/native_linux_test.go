package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox/internal/probe"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/answer"
)

// frame writes a frame whose meta part is as given, whatever it is.
func (h *hostile) frame(head wire.Header, meta string, body []byte) {
	head.Meta = len(meta)
	raw, _ := json.Marshal(head)
	b := binary.BigEndian.AppendUint32(nil, uint32(2+len(raw)+len(meta)+len(body)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(raw)))
	_, _ = h.raw.Write(append(append(append(b, raw...), meta...), body...))
}

// braces is a list of as many empty objects as fit into n bytes.
func braces(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n/3), ",") + "]" }

func (h *hostile) marks(cell int, marks ...builtins.Mark) {
	h.frame(wire.Header{Op: wire.Marks, Cell: cell}, "", wire.PackMarks(marks))
}

func (h *hostile) final(cell int, f answer.FinalOutput) {
	h.send(wire.Header{Op: wire.Final, Cell: cell}, f, []byte("owned"))
	h.result(cell, repl.Result{}, "")
}

const megabyte = 1 << 20

// nativeActs are what a worker does that was taken over by native code: it is locked in, and has the connection. The host must
// see each of them as a violation of the rules.
var nativeActs = map[string]func(h *hostile, cell int){
	"result with 5 MB of braces": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`+braces(5*megabyte)+`}}`, nil)
	},
	"result with 70 MB of braces": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`+braces(70*megabyte)+`}}`, nil)
	},
	"result with as many braces as fit": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`+braces(wire.MaxResult-100)+`}}`, nil)
	},
	"result of deep lists": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"x":`+strings.Repeat("[", megabyte), nil)
	},
	"call with 20 MB of texts": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Call, ID: 1, Cell: c}, `{"impl":"llm_query","texts":`+braces(20*megabyte)+`}`, nil)
	},
	"call with as many texts as fit": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Call, ID: 1, Cell: c}, `{"impl":"llm_query","texts":`+braces(60<<10)+`}`, nil)
	},
	"call with long options": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Call, ID: 1, Cell: c}, `{"impl":"llm_query","options":"`+strings.Repeat("x", megabyte)+`"}`, nil)
	},
	"call with a place that no batch has": func(h *hostile, c int) {
		h.call(1, c, wire.CallMeta{Impl: "llm_query", Batch: builtins.Batch{ID: 1, Index: 6, Size: -1 << 63}}, "")
	},
	"call that is no name": func(h *hostile, c int) { h.call(1, c, wire.CallMeta{Impl: "\x1b]52;c;aGk=\a"}, "") },
	"tool that is no name": func(h *hostile, c int) { h.call(1, c, wire.CallMeta{Impl: "tool", Tool: "\x1b[2J"}, "") },
	"clock of 70 MB": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"clock":[`+strings.Repeat("1,", 35*megabyte)+`1]}}`, nil)
	},
	"peek of 70 MB":       func(h *hostile, c int) { h.frame(wire.Header{Op: wire.Peek}, braces(70*megabyte), nil) },
	"vars unasked":        func(h *hostile, c int) { h.frame(wire.Header{Op: wire.Vars}, "{}", nil) },
	"ready in a run":      func(h *hostile, c int) { h.frame(wire.Header{Op: wire.Ready}, "{}", make([]byte, 70*megabyte)) },
	"marks of no context": func(h *hostile, c int) { h.marks(c, builtins.Mark{Number: 1, Context: 7, Length: 1}) },
	"marks of what is not in the context": func(h *hostile, c int) {
		h.marks(c, builtins.Mark{Number: 1, Offset: 1 << 61, Length: 1 << 61})
	},
	"marks of one number": func(h *hostile, c int) {
		h.marks(c, builtins.Mark{Number: 1, Length: 1}, builtins.Mark{Number: 1, Length: 1})
	},
	"marks that are none": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Marks, Cell: c}, "", []byte(strings.Repeat("\xff", 64)))
	},
	"70 MB of marks": func(h *hostile, c int) { h.frame(wire.Header{Op: wire.Marks, Cell: c}, "", make([]byte, 70*megabyte)) },
	"marks after the result": func(h *hostile, c int) {
		h.result(c, repl.Result{}, "")
		h.marks(c, builtins.Mark{Number: 1, Length: 1})
	},
	"long piece of output": func(h *hostile, c int) {
		h.frame(wire.Header{Op: wire.Print, Cell: c}, "", make([]byte, 70*megabyte))
	},
	"output after the result": func(h *hostile, c int) {
		h.result(c, repl.Result{}, "")
		h.frame(wire.Header{Op: wire.Print, Cell: c}, "", []byte("late"))
	},
	"large frames between cells": func(h *hostile, c int) {
		h.result(c, repl.Result{}, "")
		for range 16 {
			h.frame(wire.Header{Op: wire.Result, Cell: c + 1}, "{}", make([]byte, 70*megabyte))
		}
	},
	"calls between cells": func(h *hostile, c int) {
		h.result(c, repl.Result{}, "")
		for id := range uint64(16) {
			h.call(id+1, c+1, wire.CallMeta{Impl: "llm_query", Prompt: 8 * megabyte}, strings.Repeat("x", 8*megabyte))
		}
	},
	"calls whose replies are not read": func(h *hostile, c int) {
		for id := range uint64(1_000_000) {
			h.call(id+1, c, wire.CallMeta{Impl: "long"}, "")
		}
	},
	"reads memory that is not there": func(*hostile, int) {
		var here int
		fmt.Fprintln(os.Stderr, *(*int)(unsafe.Add(unsafe.Pointer(&here), 1<<46)))
	},
	"calls without end": func(h *hostile, c int) {
		go func() { // the replies are read
			for {
				if _, err := h.Receive(); err != nil {
					return
				}
			}
		}()
		for id := range uint64(maxCalls + 1000) {
			h.call(id+1, c, wire.CallMeta{Impl: "llm_query"}, "")
		}
	},
	"large calls at once": func(h *hostile, c int) {
		text := strings.Repeat("x", 60*megabyte)
		for id := range uint64(25) {
			h.call(id+1, c, wire.CallMeta{Impl: "slow", Texts: []wire.CallText{{Size: 60 * megabyte}}}, text)
		}
		h.call(1, c, wire.CallMeta{Impl: "llm_query"}, "") // a number that was there before
	},
	"announces a call and waits": func(h *hostile, c int) {
		h.announce(wire.Header{Op: wire.Call, ID: 1, Cell: c}, 70*megabyte)
	},
	"announces 4 GB natively": func(h *hostile, c int) { _, _ = h.raw.Write([]byte{255, 255, 255, 255, 0, 2, '{', '}'}) },
	"threads":                 func(h *hostile, c int) { probe.Try("process.threads", os.Getppid()) },
	"floods output": func(h *hostile, c int) {
		for range 1000 {
			h.frame(wire.Header{Op: wire.Print, Cell: c}, "", make([]byte, maxPiece))
		}
	},
	"answer by a signal that is not there": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "\x1b]52;c;aGk=\a"})
	},
	"answer by the other mode's signal": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "finish_task", Status: answer.Done})
	},
	"answer by a function that is no signal": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "llm_query"})
	},
	"answer with an odd status": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL", Status: "\x1b[2Jdone"})
	},
	"answer of an odd type": func(h *hostile, c int) { h.final(c, answer.FinalOutput{Type: "\x1b]0;x\a", Signal: "FINAL"}) },
	"answer without a type": func(h *hostile, c int) { h.final(c, answer.FinalOutput{Signal: "FINAL"}) },
	"answer of an odd variable": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Variable, Signal: "FINAL_VAR", Var: "a\x1b[2J"})
	},
	"answer of no variable": func(h *hostile, c int) { h.final(c, answer.FinalOutput{Type: answer.Variable, Signal: "FINAL_VAR"}) },
	"answer of a variable twice": func(h *hostile, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL", Var: "x"})
	},
}

// announce writes a header and the first bytes of a body that never comes.
func (h *hostile) announce(head wire.Header, n int) {
	meta := `{"impl":"llm_query"}`
	head.Meta = len(meta)
	raw, _ := json.Marshal(head)
	b := binary.BigEndian.AppendUint32(nil, uint32(2+len(raw)+len(meta)+n))
	b = binary.BigEndian.AppendUint16(b, uint16(len(raw)))
	_, _ = h.raw.Write(append(append(append(b, raw...), meta...), make([]byte, 100)...))
}

const (
	nativeEnv = "RLM_TEST_NATIVE"
	mostHost  = 200 << 20 // bytes that a host may have resident at its peak
)

// Each attack has a host of its own, whose peak of memory is read when the attack is over.
func TestTheHostStaysSmallUnderANativeWorker(t *testing.T) {
	if name := os.Getenv(nativeEnv); name != "" {
		survive(t, name)
		return
	}
	if raceEnabled {
		t.Skip("SKIPPED: memory is measured without the race detector")
	}
	for name := range nativeActs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peak := hostPeak(t, "TestTheHostStaysSmallUnderANativeWorker", nativeEnv+"="+name)
			t.Logf("%d MB", peak>>20)
			require.Less(t, peak, int64(mostHost))
		})
	}
}

// hostPeak runs a test in a process of its own and returns its peak of resident memory, in bytes.
func hostPeak(t *testing.T, test string, env ...string) int64 {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, after, found := bytes.Cut(out, []byte("PEAK "))
	require.True(t, found, "%s", out)
	var peak int64
	_, err = fmt.Sscan(string(after), &peak)
	require.NoError(t, err)
	return peak
}

// reportPeak prints the peak of this process. The kernel's own figure misses no moment.
func reportPeak(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(after, &kb)
	require.NoError(t, err)
	fmt.Println("PEAK", kb<<10)
}

// survive has a host meet the attack, and work on afterwards.
func survive(t *testing.T, name string) {
	s := nativeSession(t, name)
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Nil(t, res.Final, "a forged answer")
	switch {
	case res.Error == nil: // the attack comes after the result: the worker is stopped by then, and goes on with later cells
		for cells := 0; res.Restore == nil; cells++ {
			require.Less(t, cells, 100, "nobody noticed")
			res, err = s.Run(t.Context(), Cell{Source: "y := 1"})
			require.NoError(t, err)
		}
	case name == "announces a call and waits":
		require.Equal(t, repl.KindTimeout, res.Error.Kind, res.Error.Message)
	case name == "reads memory that is not there":
		require.Equal(t, repl.KindFatalRuntime, res.Error.Kind, res.Error.Message)
		require.Contains(t, res.Error.Message, "memory that it does not have")
	case name == "calls whose replies are not read": // it gets stuck, or has too many calls without a reply
		require.Contains(t, []repl.Kind{repl.KindTimeout, repl.KindProtocolViolation}, res.Error.Kind, res.Error.Message)
	default:
		require.Equal(t, repl.KindProtocolViolation, res.Error.Kind, res.Error.Message)
		require.NotContains(t, res.Error.Message, "\x1b")
	}
	res, err = s.Run(t.Context(), Cell{Source: "2 + 3"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "5", res.Value)
	reportPeak(t)
}

// nativeSession is a session whose first worker was taken over.
func nativeSession(t *testing.T, name string) *Session {
	t.Helper()
	s := &Session{
		cfg: Config{Level: Best, Builtins: builtins.Standard(termination.Response), Call: func(ctx context.Context, c Call) Reply {
			switch c.Impl {
			case "long":
				return Reply{Body: make([]byte, 8<<10)}
			case "slow":
				time.Sleep(10 * time.Millisecond)
			}
			return Reply{}
		}},
		limits:  Limits{}.WithDefaults(),
		workers: NewWorkers(2, 0), owned: true, next: 1,
	}
	if name == "calls whose replies are not read" || name == "announces a call and waits" {
		s.limits.CellTime = 3 * time.Second // nothing else ends it
	}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	p, err := launch(t.Context(), plain, func(cmd *exec.Cmd) error {
		cmd.Env = []string{hostileEnv + "=" + name}
		return s.workers.starter.run(cmd)
	})
	require.NoError(t, err)
	require.NotEqual(t, Basic, p.level, "the worker is not locked in")
	p.gate.configure(s.limits, s.workers.roomAt(0))
	require.NoError(t, p.initialise(t.Context(), wire.InitMeta{}, s.limits, Context{}))
	s.workers.live[p] = new(lease)
	s.worker = p
	return s
}
