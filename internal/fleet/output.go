package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Format is the file format of results.
type Format string

// The formats of results.
const (
	JSONL Format = "jsonl" // a line of JSON for each result
	CSV   Format = "csv"   // a row for each result; the fields of typed answers are columns
)

// Output writes the results of a batch, each once. It is not safe for concurrent use.
type Output struct {
	format  Format
	fields  []string // fields of typed answers, in CSV
	runsDir string
	w       io.Writer
	file    *os.File          // nil for a stream
	flows   bool              // the file is a pipe or a device
	written map[string]string // run ids by job id
	head    bool              // whether the column names have been written
	order   []string          // ids in the order of the results; nil: as they arrive
	early   map[string]Result // results that wait for others before them
}

// Form configures an output.
type Form struct {
	Format  Format
	Fields  []string // fields of typed answers: the columns of CSV; none: one column for the answer
	RunsDir string   // folder of the runs, for answers that are too long for the queue
	Order   []string // ids in the order of the output; nil: as results arrive
}

// Line is a result in JSON Lines.
type Line struct {
	ID           string                `json:"id"`
	Status       State                 `json:"status"`           // done or dead
	Answer       any                   `json:"answer,omitempty"` // text, or the JSON of a typed answer
	Reason       string                `json:"reason,omitempty"` // why there is no answer, or why the run ended early
	Reply        string                `json:"reply,omitempty"`  // beginning of what the model said last, if no answer
	Kind         string                `json:"error_kind,omitempty"`
	Run          string                `json:"run,omitempty"`
	RunStatus    string                `json:"run_status,omitempty"` // how the run ended
	Turns        int                   `json:"turns,omitempty"`
	SubCalls     int                   `json:"sub_calls,omitempty"`
	Tokens       int64                 `json:"tokens"`
	Cost         *float64              `json:"cost"` // in USD; null if prices are unknown
	Seconds      float64               `json:"seconds"`
	Unsupported  string                `json:"unsupported,omitempty"`
	Guess        bool                  `json:"guess,omitempty"`
	CutReplies   int                   `json:"cut_replies,omitempty"` // replies that were incomplete
	Evidence     []trajectory.Evidence `json:"evidence,omitempty"`
	UnknownMarks []string              `json:"unknown_marks,omitempty"` // marks in the answer that refer to no passage
	Grounding    *trajectory.Grounding `json:"grounding,omitempty"`
	Metadata     json.RawMessage       `json:"metadata,omitempty"`
}

// NewOutput writes results to a stream.
func NewOutput(w io.Writer, form Form) *Output {
	return &Output{
		format: form.Format, fields: form.Fields, runsDir: form.RunsDir, w: w, order: form.Order,
		written: map[string]string{}, early: map[string]Result{},
	}
}

// OpenOutput adds results to a file, which is created if necessary. Results that are already in the file are not
// written again. OpenOutput removes a last line that was truncated when the program was killed, and results of the
// batch that no longer count. If the file holds anything else, it stays unchanged and OpenOutput fails. A pipe or a
// device cannot be read back: results are written to it as to stdout.
func OpenOutput(ctx context.Context, q *Queue, batch, path string, form Form) (*Output, error) {
	if files.Flows(path) {
		// Otherwise opening a pipe without a reader would block.
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) {
			return nil, fmt.Errorf("open the results: nothing reads from the pipe %s: start its reader first", path)
		}
		if err != nil {
			return nil, fmt.Errorf("open the results: %w", err)
		}
		o := NewOutput(f, form)
		o.file, o.flows = f, true
		return o, nil
	}
	known, err := q.known(ctx, batch)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open the results: %w", err)
	}
	o := NewOutput(nil, form)
	latest, runs := map[string]Line{}, map[string]bool{}
	for _, k := range known {
		runs[k.Run] = true
		if k.result != nil {
			runs[k.result.Run] = true
		}
		if !k.waits() && !k.dropped() {
			latest[k.Job.ID] = k.result.line()
		}
	}
	keep := func(id, run, state string) (bool, error) {
		l, ok := latest[id]
		if ok && l.Run == run && string(l.Status) == state {
			return true, nil
		}
		if run != "" && !runs[run] {
			return false, fmt.Errorf("run %s belongs to another batch", run)
		}
		return false, nil
	}
	kept, err := o.read(decoding.Bytes(data), keep) // decoded, because a spreadsheet may have saved the file
	if err != nil {
		return nil, fmt.Errorf("%s contains something other than results of this batch (%w): name another file, or run the command that made it ('rlm batch ls' lists the batches)", path, err)
	}
	if !bytes.Equal(kept, data) {
		if err := files.Replace(path, kept); err != nil {
			return nil, fmt.Errorf("open the results: %w", err)
		}
	}
	if o.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("open the results: %w", err)
	}
	o.w = o.file
	return o, nil
}

// Add writes a result, unless it has been written already. With an order, the result is written once all before it
// are.
func (o *Output) Add(r Result) error {
	run, there := o.written[r.ID]
	there = there && run == r.line().Run
	switch {
	case o.order == nil && there:
		return nil
	case o.order == nil:
		return o.write(r)
	case !there:
		o.early[r.ID] = r
	}
	for ; len(o.order) > 0; o.order = o.order[1:] {
		id := o.order[0]
		if next, here := o.early[id]; here {
			delete(o.early, id)
			if err := o.write(next); err != nil {
				return err
			}
		} else if _, there := o.written[id]; !there {
			break
		}
	}
	return nil
}

// Rest writes the results that wait for earlier ones, in order, because no more results will arrive.
func (o *Output) Rest() error {
	for _, id := range o.order {
		if r, ok := o.early[id]; ok {
			delete(o.early, id)
			if err := o.write(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close makes the results durable.
func (o *Output) Close() error {
	switch {
	case o.file == nil:
		return nil
	case o.flows:
		return o.file.Close()
	}
	if err := errors.Join(o.file.Sync(), o.file.Close()); err != nil {
		return fmt.Errorf("store the results: %w", err)
	}
	return nil
}

func (o *Output) write(r Result) error {
	answer, err := r.AnswerIn(o.runsDir)
	if err != nil {
		return err
	}
	r.Answer = answer
	var text bytes.Buffer
	if o.format == CSV {
		err = o.row(&text, r)
	} else {
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		err = enc.Encode(r.line())
	}
	if err == nil {
		_, err = o.w.Write(text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write the result of %s: %w", r.ID, err)
	}
	o.written[r.ID] = r.line().Run
	return nil
}

// line converts a result to the form for people and programs.
func (r Result) line() Line {
	l := Line{
		ID: r.ID, Status: r.State, Reason: r.Reason, Reply: r.Reply,
		Kind: r.Kind, Run: r.Run, RunStatus: r.Status, Turns: r.Turns,
		SubCalls: r.SubCalls, Tokens: r.Tokens,
		Cost: &r.Cost, Seconds: r.Duration.Seconds(), Unsupported: r.Unsupported, Guess: r.Guess,
		CutReplies: r.CutReplies,
		Evidence:   r.Evidence, UnknownMarks: r.UnknownMarks, Grounding: r.Grounding, Metadata: r.Metadata,
	}
	if len(r.Unpriced) > 0 {
		l.Cost = nil
	}
	if r.Status == "" { // no run could begin
		l.Run = ""
	}
	switch {
	case r.State != Done:
	case r.Typed:
		l.Answer = json.RawMessage(r.Answer)
	default:
		l.Answer = r.Answer
	}
	return l
}
