// Package builtins holds the functions that cells can call besides Go's own: the model (llm_query and its
// variants), the answer (FINAL, finish_response, …) and the text tools.
package builtins

import (
	"context"
	"encoding/json"
	"errors"
)

// Spec describes one builtin of a notebook. It is plain data: the host decides which builtins there are and under
// which names, and a worker builds them.
type Spec struct {
	// Name is the name in cells. Every text that a model sees is rendered from it.
	Name string `json:"name"`
	// Impl names the implementation (the standard name, "llm_query"); "tool" for a host tool.
	Impl string `json:"impl"`
	// Doc replaces the standard documentation when not empty.
	Doc string `json:"doc,omitempty"`
	// Signal marks a completion signal.
	Signal bool `json:"signal,omitempty"`
	// Series follows the number in the marks that cite returns; see answer.Series.
	Series string `json:"series,omitempty"`
	// Params and Results are Go types as source ("query string", "[]Hit", "error") and Types the declarations they
	// need; only for Impl "tool" and, without results, for a FINAL that takes a specific type. With such a FINAL
	// the answers of all signals are given as JSON.
	Params  []string `json:"params,omitempty"`
	Results []string `json:"results,omitempty"`
	Types   string   `json:"types,omitempty"`
}

// Call is one request to the host: a sub-call, a child run, a tool.
type Call struct {
	// Impl is the requested function: llm_query, rlm_query, or tool with Tool set.
	Impl string `json:"impl"`
	Tool string `json:"tool,omitempty"`
	// Options are small and structured (model, temperature, schema name, …).
	Options json.RawMessage `json:"options,omitempty"`
	// Body is the prompt, or a tool's arguments as a JSON list. A tool's reply is the JSON list of its results
	// without a final error (a failed tool is an error of Host.Call). Body is raw bytes because a prompt need not
	// be UTF-8.
	Body []byte `json:"-"`
	// Text is the context of a child run; a slice of the session's context costs no copy.
	Text []string `json:"-"`
	// Batch is the call's place in a batch; Size is 0 outside of one.
	Batch Batch `json:"batch,omitzero"`
}

// Batch is a call's place among the calls that one statement started together.
type Batch struct {
	ID    int `json:"id"`
	Index int `json:"index"`
	Size  int `json:"size"`
}

// Host answers calls. It is safe for concurrent use. Errors are ErrUnwind (the budget is gone or the run is
// cancelled: the cell must end) or ordinary failures of this one call.
type Host interface {
	Call(ctx context.Context, c Call) ([]byte, error)
}

// ErrUnwind means that the cell must end: no more calls will be answered.
var ErrUnwind = errors.New("the cell is over")

// ErrAstray is the ErrUnwind of a replayed cell that makes a call without a recorded reply. It ends the cell even
// if other calls of its batch were answered.
var ErrAstray = errors.New("the cell asks something else than the first time")
