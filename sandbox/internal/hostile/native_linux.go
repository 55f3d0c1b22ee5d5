package hostile

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/probe"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

const (
	megabyte  = 1 << 20
	maxPiece  = 64 << 10 // bytes of a piece of output that a host accepts
	mostCalls = 100_000  // per cell
)

// Native contains acts of a worker that native code has taken over: it is locked in, and has the connection. The
// host must treat each of them as a violation of the rules.
var Native = map[string]Act{
	"result with 5 MB of braces": func(h *Worker, c int) {
		h.braces(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`, 5*megabyte, "}}")
	},
	"result with 70 MB of braces": func(h *Worker, c int) {
		h.braces(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`, 70*megabyte, "}}")
	},
	"result with as many braces as fit": func(h *Worker, c int) {
		h.braces(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"changed":`, wire.MaxResult-100, "}}")
	},
	"result of deep lists": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Result, Cell: c}, `{"x":`+strings.Repeat("[", megabyte), nil)
	},
	"call with 20 MB of texts": func(h *Worker, c int) {
		h.braces(wire.Header{Op: wire.Call, ID: 1, Cell: c}, `{"impl":"llm_query","texts":`, 20*megabyte, "}")
	},
	"call with as many texts as fit": func(h *Worker, c int) {
		h.braces(wire.Header{Op: wire.Call, ID: 1, Cell: c}, `{"impl":"llm_query","texts":`, 60<<10, "}")
	},
	"call with long options": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Call, ID: 1, Cell: c},
			`{"impl":"llm_query","options":"`+strings.Repeat("x", megabyte)+`"}`, nil)
	},
	"call with a place that no batch has": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Impl: "llm_query", Batch: builtins.Batch{ID: 1, Index: 6, Size: -1 << 63}}, "")
	},
	"call that is no name": func(h *Worker, c int) { h.call(1, c, wire.CallMeta{Impl: "\x1b]52;c;aGk=\a"}, "") },
	"tool that is no name": func(h *Worker, c int) { h.call(1, c, wire.CallMeta{Impl: "tool", Tool: "\x1b[2J"}, "") },
	"clock of 70 MB": func(h *Worker, c int) {
		h.repeat(wire.Header{Op: wire.Result, Cell: c}, `{"result":{"clock":[`, "1,", 70*megabyte, "1]}}")
	},
	"peek of 70 MB": func(h *Worker, c int) { h.braces(wire.Header{Op: wire.Peek}, "", 70*megabyte, "") },
	"vars unasked":  func(h *Worker, c int) { h.frame(wire.Header{Op: wire.Vars}, "{}", nil) },
	"ready in a run": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Ready}, "{}", make([]byte, 70*megabyte))
	},
	"marks of no context": func(h *Worker, c int) { h.marks(c, builtins.Mark{Number: 1, Context: 7, Length: 1}) },
	"marks of what is not in the context": func(h *Worker, c int) {
		h.marks(c, builtins.Mark{Number: 1, Offset: 1 << 61, Length: 1 << 61})
	},
	"marks of one number": func(h *Worker, c int) {
		h.marks(c, builtins.Mark{Number: 1, Length: 1}, builtins.Mark{Number: 1, Length: 1})
	},
	"marks that are none": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Marks, Cell: c}, "", []byte(strings.Repeat("\xff", 64)))
	},
	"70 MB of marks": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Marks, Cell: c}, "", make([]byte, 70*megabyte))
	},
	"marks after the result": func(h *Worker, c int) {
		h.result(c, repl.Result{}, "")
		h.marks(c, builtins.Mark{Number: 1, Length: 1})
	},
	"long piece of output": func(h *Worker, c int) {
		h.frame(wire.Header{Op: wire.Print, Cell: c}, "", make([]byte, 70*megabyte))
	},
	"output after the result": func(h *Worker, c int) {
		h.result(c, repl.Result{}, "")
		h.frame(wire.Header{Op: wire.Print, Cell: c}, "", []byte("late"))
	},
	"large frames between cells": func(h *Worker, c int) {
		h.result(c, repl.Result{}, "")
		for range 16 {
			h.frame(wire.Header{Op: wire.Result, Cell: c + 1}, "{}", make([]byte, 70*megabyte))
		}
	},
	"calls between cells": func(h *Worker, c int) {
		h.result(c, repl.Result{}, "")
		for id := range uint64(16) {
			h.call(id+1, c+1, wire.CallMeta{Impl: "llm_query", Prompt: 8 * megabyte}, strings.Repeat("x", 8*megabyte))
		}
	},
	"calls whose replies are not read": func(h *Worker, c int) {
		for id := range uint64(1_000_000) {
			h.call(id+1, c, wire.CallMeta{Impl: "long"}, "")
		}
	},
	"reads no reply": func(h *Worker, c int) { // the replies fill its socket
		for id := range uint64(100) {
			h.call(id+1, c, wire.CallMeta{Impl: "long"}, "")
		}
		time.Sleep(time.Hour)
	},
	"reads memory that is not there": func(*Worker, int) {
		var here int
		fmt.Fprintln(os.Stderr, *(*int)(unsafe.Add(unsafe.Pointer(&here), 1<<46)))
	},
	"calls without end": func(h *Worker, c int) {
		go func() { // reads the replies
			for {
				if _, err := h.Receive(); err != nil {
					return
				}
			}
		}()
		for id := range uint64(mostCalls + 1000) {
			h.call(id+1, c, wire.CallMeta{Impl: "llm_query"}, "")
		}
	},
	"large calls at once": func(h *Worker, c int) {
		text := strings.Repeat("x", 60*megabyte)
		for id := range uint64(8) {
			h.call(id+1, c, wire.CallMeta{Impl: "slow", Texts: []wire.CallText{{Size: 60 * megabyte}}}, text)
		}
		h.call(1, c, wire.CallMeta{Impl: "llm_query"}, "") // an id that was used before
	},
	"announces a call and waits": func(h *Worker, c int) {
		h.announce(wire.Header{Op: wire.Call, ID: 1, Cell: c}, 70*megabyte)
	},
	"announces 4 GB natively": func(h *Worker, c int) {
		_, _ = h.raw.Write([]byte{255, 255, 255, 255, 0, 2, '{', '}'})
	},
	"threads": func(h *Worker, c int) { probe.Try("process.threads", os.Getppid()) },
	"floods output": func(h *Worker, c int) {
		for range 1000 {
			h.frame(wire.Header{Op: wire.Print, Cell: c}, "", make([]byte, maxPiece))
		}
	},
	"answer by a signal that is not there": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "\x1b]52;c;aGk=\a"})
	},
	"answer by the other mode's signal": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "finish_task", Status: answer.Done})
	},
	"answer by a function that is no signal": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "llm_query"})
	},
	"answer with an odd status": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL", Status: "\x1b[2Jdone"})
	},
	"answer of an odd type": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: "\x1b]0;x\a", Signal: "FINAL"})
	},
	"answer without a type": func(h *Worker, c int) { h.final(c, answer.FinalOutput{Signal: "FINAL"}) },
	"answer of an odd variable": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Variable, Signal: "FINAL_VAR", Var: "a\x1b[2J"})
	},
	"answer of control characters": func(h *Worker, c int) {
		h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"},
			make([]byte, 4*megabyte))
		h.result(c, repl.Result{}, "")
	},
	"answer of no variable": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Variable, Signal: "FINAL_VAR"})
	},
	"answer of a variable twice": func(h *Worker, c int) {
		h.final(c, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL", Var: "x"})
	},
}

// braces writes a frame with a list of as many empty objects as fit into n bytes.
func (h *Worker) braces(head wire.Header, before string, n int, after string) {
	h.repeat(head, before+"[", "{},", n-3, "{}]"+after)
}

// repeat writes a frame whose meta is mostly n bytes of equal parts. It makes few of them at a time, because the
// host refuses most of these frames at once.
func (h *Worker) repeat(head wire.Header, before, part string, n int, after string) {
	n /= len(part)
	most := maxPiece / len(part)
	rest := begin(head, len(before)+n*len(part)+len(after), 0)
	for rest = append(rest, before...); n > 0; n -= most {
		rest = append(rest, strings.Repeat(part, min(n, most))...)
		if _, err := h.raw.Write(rest); err != nil {
			return
		}
		rest = rest[:0]
	}
	_, _ = h.raw.Write([]byte(after))
}

func (h *Worker) marks(cell int, marks ...builtins.Mark) {
	h.frame(wire.Header{Op: wire.Marks, Cell: cell}, "", wire.PackMarks(marks))
}

func (h *Worker) final(cell int, f answer.FinalOutput) {
	h.send(wire.Header{Op: wire.Final, Cell: cell}, f, []byte("owned"))
	h.result(cell, repl.Result{}, "")
}
