package hostile

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Rules contains acts that break the rules of the protocol.
var Rules = map[string]Act{
	"announces 4 GB": func(h *Worker, _ int) { _, _ = h.raw.Write([]byte{255, 255, 255, 255, 0, 2}) },
	"no JSON":        func(h *Worker, _ int) { _, _ = h.raw.Write([]byte("\x00\x00\x00\x06\x00\x04nope")) },
	"long header": func(h *Worker, _ int) {
		b := binary.BigEndian.AppendUint32(nil, 60000)
		_, _ = h.raw.Write(append(binary.BigEndian.AppendUint16(b, 59000), make([]byte, 60000)...))
	},
	"unknown frame":       func(h *Worker, c int) { h.send(wire.Header{Op: "shell", Cell: c}, nil, nil) },
	"frame of a host":     func(h *Worker, c int) { h.send(wire.Header{Op: wire.Run, Cell: c}, nil, nil) },
	"result of another":   func(h *Worker, c int) { h.result(c+1, repl.Result{}, "") },
	"call for another":    func(h *Worker, c int) { h.call(1, c-1, wire.CallMeta{Impl: "llm_query"}, "") },
	"result without meta": func(h *Worker, c int) { h.send(wire.Header{Op: wire.Result, Cell: c}, nil, nil) },
	"same id twice": func(h *Worker, c int) {
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
	},
	"ids backwards": func(h *Worker, c int) {
		h.call(5, c, wire.CallMeta{Impl: "llm_query"}, "")
		h.call(4, c, wire.CallMeta{Impl: "llm_query"}, "")
	},
	"too many calls": func(h *Worker, c int) {
		for id := range uint64(100) {
			h.call(id+1, c, wire.CallMeta{Impl: "wait", Prompt: 0}, "")
		}
	},
	"prompt beyond frame": func(h *Worker, c int) { h.call(1, c, wire.CallMeta{Prompt: 100}, "short") },
	"negative prompt":     func(h *Worker, c int) { h.call(1, c, wire.CallMeta{Prompt: -1}, "short") },
	"long prompt": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Prompt: 200 << 10}, strings.Repeat("x", 200<<10))
	},
	"long text": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: 200 << 10}}}, strings.Repeat("x", 200<<10))
	},
	"text beyond frame": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: 10}}}, "short")
	},
	"negative text": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{Size: -10}}}, "short")
	},
	"text outside of the context": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{InContext: true, Offset: 1, Size: 1}}}, "")
	},
	"text that overflows": func(h *Worker, c int) {
		h.call(1, c, wire.CallMeta{Texts: []wire.CallText{{InContext: true, Offset: 1<<63 - 1, Size: 1<<63 - 1}}}, "")
	},
	"floods output": func(h *Worker, c int) {
		for range 100 {
			h.send(wire.Header{Op: wire.Print, Cell: c}, nil, make([]byte, 64<<10))
		}
	},
	"long tail":    func(h *Worker, c int) { h.result(c, repl.Result{}, strings.Repeat("x", 100<<10)) },
	"long answer":  func(h *Worker, c int) { h.send(wire.Header{Op: wire.Final, Cell: c}, nil, make([]byte, 200<<10)) },
	"unasked peek": func(h *Worker, c int) { h.send(wire.Header{Op: wire.Peek}, wire.PeekMeta{}, nil) },
	"sends files": func(h *Worker, c int) {
		h.send(wire.Header{Op: wire.Print, Cell: c}, nil, []byte("x"))
		h.sendFile(c)
	},
	"hangs up": func(h *Worker, _ int) { _ = h.Close(); time.Sleep(time.Minute) },
	"floods stderr": func(*Worker, int) {
		for {
			_, _ = os.Stderr.WriteString(strings.Repeat("panic: x\n", 1000))
		}
	},
	"does nothing": func(*Worker, int) {},
	"exits":        func(*Worker, int) { os.Exit(0) },
	"leaves its stderr to another": func(*Worker, int) { // to a process that ends with the host
		heir := exec.Command("/bin/sh", "-c", "while kill -0 $0; do sleep 1; done", strconv.Itoa(os.Getppid()))
		heir.Stderr = os.Stderr
		_ = heir.Start() // it cannot where the worker is locked in
		os.Exit(0)
	},
	"huge result": func(h *Worker, c int) {
		h.result(c, repl.Result{
			Value: strings.Repeat("v", 1<<20),
			Error: &repl.CellError{Kind: "Hacked", Message: strings.Repeat("m", 500<<10), Line: -5},
			Notes: make([]string, 50_000),
			Final: &answer.FinalOutput{Answer: "smuggled"},
		}, "")
	},
	"two answers": func(h *Worker, c int) {
		h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"},
			[]byte("first"))
		h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"},
			[]byte("second"))
		h.result(c, repl.Result{}, "")
	},
	"wrong answer with its result": func(h *Worker, c int) {
		h.together(func(h *Worker) {
			h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: "odd", Signal: "FINAL"}, []byte("x"))
			h.result(c, repl.Result{Value: "forged"}, "")
		})
	},
	"talks between cells": func(h *Worker, c int) {
		h.together(func(h *Worker) { // in one write, because the host freezes a worker as soon as it has the result
			h.result(c, repl.Result{}, "")
			h.result(c+1, repl.Result{Value: "forged"}, "")
		})
	},
}

// Odd contains wrong answers of a compromised worker to questions that its host asks between cells.
var Odd = map[string]func(h *Worker, op wire.Op){
	"odd: no JSON":        func(h *Worker, op wire.Op) { h.send(wire.Header{Op: op}, nil, nil) },
	"odd: another answer": func(h *Worker, _ wire.Op) { h.send(wire.Header{Op: wire.Ready}, wire.ReadyMeta{}, nil) },
	"odd: unknown answer": func(h *Worker, _ wire.Op) { h.send(wire.Header{Op: "shell"}, nil, nil) },
	"odd: long answer":    func(h *Worker, op wire.Op) { h.send(wire.Header{Op: op}, strings.Repeat("x", 4<<20), nil) },
	"odd: many values": func(h *Worker, op wire.Op) {
		h.send(wire.Header{Op: op}, map[string]any{"vars": make([]struct{}, 600_000)}, nil)
	},
	"odd: answer and body": func(h *Worker, op wire.Op) {
		h.send(wire.Header{Op: op}, struct{}{}, make([]byte, 1<<20))
	},
	"odd: two answers": func(h *Worker, op wire.Op) {
		h.send(wire.Header{Op: op}, struct{}{}, nil)
		h.send(wire.Header{Op: op}, struct{}{}, nil)
	},
	"odd: a call":   func(h *Worker, _ wire.Op) { h.call(1, 1, wire.CallMeta{Impl: "llm_query"}, "") },
	"odd: the end":  func(h *Worker, _ wire.Op) { _ = h.Close() },
	"odd: its exit": func(*Worker, wire.Op) { os.Exit(0) },
	"odd: numbers": func(h *Worker, op wire.Op) {
		found := builtins.Finding{Found: []builtins.SearchHit{
			{Offset: -1, Length: 1 << 62}, {Offset: 1 << 62, Length: 1 << 62}, {Length: -1 << 62},
		}, More: true, Next: 1}
		called := &repl.Signature{Active: 1 << 62}
		h.send(wire.Header{Op: op},
			wire.AssistMeta{Finding: found, Called: called, Wrong: &repl.CellError{Line: 1 << 62, Column: -1}}, nil)
	},
	"odd: as much as fits": func(h *Worker, op wire.Op) {
		escapes := strings.Repeat("\x1b", 200)
		var meta wire.AssistMeta
		for range 300 {
			meta.Completion.Items = append(meta.Completion.Items, repl.Suggestion{Name: escapes, Kind: escapes})
			meta.Finding.Found = append(meta.Finding.Found, builtins.SearchHit{Text: escapes})
		}
		h.send(wire.Header{Op: op}, meta, nil)
	},
}

// Lies contains results that obey the rules but are false.
var Lies = map[string]Act{
	"no names":    func(h *Worker, c int) { h.result(c, repl.Result{}, "") },
	"other names": func(h *Worker, c int) { h.changed(c, repl.Var{Name: "other", Type: "int", Digest: "1"}) },
	"names that are none": func(h *Worker, c int) {
		h.changed(c, repl.Var{Name: "\x1b[2Jx", Type: "\x1b[2J"}, repl.Var{})
	},
	"other values": func(h *Worker, c int) { h.changed(c, repl.Var{Name: "x", Type: "int", Digest: "\x1b[2J"}) },
	"one name many times": func(h *Worker, c int) {
		h.changed(c, slices.Repeat([]repl.Var{{Name: "x", Type: "int"}}, 15_000)...)
	},
	"unsound": func(h *Worker, c int) { h.send(wire.Header{Op: wire.Result, Cell: c}, wire.ResultMeta{}, nil) },
	"refused": func(h *Worker, c int) {
		h.result(c, repl.Result{Error: &repl.CellError{Kind: cellerror.Refused, Message: "\x1b[2J"}}, "")
	},
	"not compiled": func(h *Worker, c int) {
		h.result(c, repl.Result{Error: &repl.CellError{Kind: cellerror.CompileError, Message: "\x1b[2J"}}, "")
	},
	"inexact": func(h *Worker, c int) { h.result(c, repl.Result{Inexact: true}, "") },
	"damaged clock": func(h *Worker, c int) {
		meta := wire.ResultMeta{
			Clock: bytes.Repeat([]byte{255}, 1000), Fired: bytes.Repeat([]byte{255}, 1000),
			Printed: -1 << 63, Sound: true,
		}
		h.send(wire.Header{Op: wire.Result, Cell: c}, meta, nil)
	},
}

func (h *Worker) changed(cell int, vars ...repl.Var) { h.result(cell, repl.Result{Changed: vars}, "") }
