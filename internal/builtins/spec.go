// Package builtins holds the functions that cells can call besides Go's own: the model
// (llm_query and its variants), the answer (FINAL, finish_response, …) and the text tools.
package builtins

import (
	"context"
	"encoding/json"
	"errors"
)

// Spec names one builtin of a notebook. It is plain data: the host decides which builtins there
// are and under which names, a worker makes them.
type Spec struct {
	// Name is what cells write. Every text that a model sees is rendered from it.
	Name string `json:"name"`
	// Impl names the implementation (the standard name, "llm_query"); "tool" for a host tool.
	Impl string `json:"impl"`
	// Doc replaces the standard documentation when not empty.
	Doc string `json:"doc,omitempty"`
	// Signal marks a completion signal.
	Signal bool `json:"signal,omitempty"`
	// Series is what the marks that cite hands out have behind their number; see answer.Series.
	Series string `json:"series,omitempty"`
	// Params and Results are Go types as source ("query string", "[]Hit", "error") and Types the
	// declarations they need; only for Impl "tool" and, without results, for a FINAL that takes a type of its own. With such a
	// FINAL the answers of all signals are given as JSON.
	Params  []string `json:"params,omitempty"`
	Results []string `json:"results,omitempty"`
	Types   string   `json:"types,omitempty"`
}

// Call is one request to the host: a sub-call, a child run, a tool.
type Call struct {
	// Impl is what is asked for: llm_query, rlm_query, or tool with Tool set.
	Impl string `json:"impl"`
	Tool string `json:"tool,omitempty"`
	// Options are small and structured (model, temperature, schema name, …).
	Options json.RawMessage `json:"options,omitempty"`
	// Body is the prompt, or a tool's arguments as a JSON list; a tool is answered with the JSON list of its results, a last
	// error left out (a failed tool is an error of Host.Call). Raw bytes: a prompt need not be UTF-8.
	Body []byte `json:"-"`
	// Text is the context of a child run; it may be a slice of the context, which costs no copy.
	Text []string `json:"-"`
	// Batch places the call in a batch; Size is 0 outside of one.
	Batch Batch `json:"batch,omitzero"`
}

// Batch is a call's place among the calls that one statement started together.
type Batch struct {
	ID    int `json:"id"`
	Index int `json:"index"`
	Size  int `json:"size"`
}

// Host answers calls. It is safe for concurrent use. Errors are ErrUnwind (the budget is gone or
// the run is cancelled: the cell must end) or ordinary failures of this one call.
type Host interface {
	Call(ctx context.Context, c Call) ([]byte, error)
}

// ErrUnwind says that the cell must end: nothing will be answered any more.
var ErrUnwind = errors.New("the cell is over")

// ErrAstray is the ErrUnwind of a cell that runs again and asks for what was not answered the first time. It ends the cell also where
// other calls of its batch were answered.
var ErrAstray = errors.New("the cell asks something else than the first time")
