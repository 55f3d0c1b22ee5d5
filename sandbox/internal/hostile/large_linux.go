package hostile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Large contains acts of a compromised worker that obeys the rules and sends as much as they allow, and more than its
// host may hold in tests.
var Large = map[string]Act{
	"four calls of 8 MB and 60 MB": func(h *Worker, c int) {
		h.calls(c, 4, wire.CallMeta{
			Impl: "llm_query", Prompt: 8 * megabyte, Texts: []wire.CallText{{Size: 60 * megabyte}},
		})
	},
	"four slow calls of 8 MB and 60 MB": func(h *Worker, c int) {
		h.calls(c, 4, wire.CallMeta{Impl: "slow", Prompt: 8 * megabyte, Texts: []wire.CallText{{Size: 60 * megabyte}}})
	},
	"one call of 68 MB": func(h *Worker, c int) {
		h.calls(c, 1, wire.CallMeta{
			Impl: "llm_query", Prompt: 4 * megabyte, Texts: []wire.CallText{{Size: 64 * megabyte}},
		})
	},
	"34 calls of 8 MB": func(h *Worker, c int) {
		h.calls(c, 34, wire.CallMeta{Impl: "slow", Prompt: 8 * megabyte})
	},
	"60 answers of 4 MB": func(h *Worker, c int) {
		body := bytes.Repeat([]byte{'"'}, 4*megabyte) // quotes are escaped, so they take twice as many bytes in a log
		for range 60 {
			h.send(wire.Header{Op: wire.Final, Cell: c}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"}, body)
		}
		h.result(c, repl.Result{}, "")
	},
	"result with many items": func(h *Worker, c int) {
		item := bundle.Item{Data: map[string]json.RawMessage{}}
		for i := range 40 {
			item.Data[strings.Repeat("m", i+1)] = json.RawMessage("{}")
		}
		packed, _ := json.Marshal(item)
		all := "[" + strings.TrimSuffix(strings.Repeat(string(packed)+",", 1200*1024/len(packed)), ",") + "]"
		h.send(wire.Header{Op: wire.Result, Cell: c}, wire.ResultMeta{Items: []byte(all), Sound: true}, nil)
	},
	"result with many variables": func(h *Worker, c int) {
		h.send(wire.Header{Op: wire.Result, Cell: c},
			wire.ResultMeta{Result: repl.Result{Changed: make([]repl.Var, 15_000)}, Sound: true}, nil)
	},
	"as much output as is streamed": func(h *Worker, c int) {
		for range h.bounds.Stream / maxPiece {
			h.send(wire.Header{Op: wire.Print, Cell: c}, nil, make([]byte, maxPiece))
		}
		h.result(c, repl.Result{}, "")
	},
}

// calls makes n calls of equal size, as many at a time as the host reads, and ends the cell when all are answered.
func (h *Worker) calls(cell, n int, meta wire.CallMeta) {
	size := meta.Prompt
	for _, t := range meta.Texts {
		size += int(t.Size)
	}
	body := make([]byte, size)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range n {
			if _, err := h.Receive(); err != nil {
				return
			}
		}
	}()
	for id := range uint64(n) {
		body[0] = byte(id) // so that no two calls are equal
		h.send(wire.Header{Op: wire.Call, ID: id + 1, Cell: cell}, meta, body)
	}
	<-done
	h.result(cell, repl.Result{}, "")
}
