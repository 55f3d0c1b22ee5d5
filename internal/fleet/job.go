package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/gorlm/rlm/runner"
)

// Job is one question of a batch.
type Job struct {
	ID       string          `json:"id"` // unique in its batch
	Question string          `json:"question"`
	Context  []Source        `json:"context,omitempty"`
	Model    string          `json:"model,omitempty"`     // a name known to the node; empty: the node's own model
	SubModel string          `json:"sub_model,omitempty"` // the same, for sub-calls
	Schema   string          `json:"schema,omitempty"`    // form of the answer; see runner.WithSchema
	Asked    ModelOptions    `json:"asked,omitzero"`      // options for the models; empty fields: the node's
	Requires Requirements    `json:"requires,omitzero"`   // what its answer must have
	Budgets  runner.Budgets  `json:"budgets,omitzero"`    // fields that are 0: the node's budgets
	Metadata json.RawMessage `json:"metadata,omitempty"`  // the caller's data, returned with the result
}

// ModelOptions is how to ask the models of a job. A job with other options is another job.
type ModelOptions struct {
	System          string   `json:"system,omitempty"` // text added to the system prompt
	Temperature     *float64 `json:"temperature,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
}

// Requirements are what the answer of a job must have; an answer without it does not count. A job with other
// requirements is another job. A node may require more.
type Requirements struct {
	Evidence bool `json:"evidence,omitempty"` // see termination.Policy
	Grounded bool `json:"grounded,omitempty"`
}

// Source becomes a part of a job's context: exactly one of Path, URL and Text is set.
type Source struct {
	Path string `json:"path,omitempty"` // a file, a folder or a pattern, as seen by the process that runs the job
	URL  string `json:"url,omitempty"`
	Text string `json:"text,omitempty"`
	Name string `json:"name,omitempty"` // name of Text; default "text"
	// Digest identifies the contents of the source, once the job is submitted.
	Digest string `json:"digest,omitempty"`
	// Object names what nodes read instead of a path or a long text, and Shared means that they read the path
	// itself. Largest is the object of the largest file of a path, and Size that file's size in bytes: nodes that
	// have it are preferred. Submit sets these fields.
	Object  string `json:"object,omitempty"`
	Shared  bool   `json:"shared,omitempty"`
	Largest string `json:"largest,omitempty"`
	Size    int64  `json:"size,omitempty"`
}

const (
	longestID = 512     // bytes of a job's id
	mostBytes = 700_000 // bytes of a job in the queue: messages have at most 1 MiB
)

// Check reports what is wrong with a job before it costs anything: no question, an invalid form, budgets that allow
// no work, unreadable files.
func (j Job) Check() error {
	switch {
	case j.ID == "":
		return errors.New("the job has no id")
	case len(j.ID) > longestID:
		return fmt.Errorf("the id has %d bytes, but the limit is %d", len(j.ID), longestID)
	case strings.ContainsFunc(j.ID, unicode.IsControl):
		return fmt.Errorf("the id %q contains control characters", j.ID)
	case strings.TrimSpace(j.Question) == "":
		return errors.New("there is no question")
	}
	if j.Schema != "" {
		if _, err := runner.Fields(j.Schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	for _, s := range j.Context {
		if err := s.check(); err != nil {
			return err
		}
	}
	if data, err := json.Marshal(j); err != nil {
		return err
	} else if len(data) > mostBytes {
		return fmt.Errorf("the job is %d bytes including its text, but the limit is %d: put long text into files and name their paths", len(data), mostBytes)
	}
	return nil
}

// key identifies a job by its content: a changed job is another one.
func (j Job) key() (string, error) {
	data, err := json.Marshal(j)
	if err != nil {
		return "", fmt.Errorf("job %s: %w", j.ID, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12]), nil
}

// Over returns b with those budgets replaced that the job sets.
func (j Job) Over(b runner.Budgets) runner.Budgets {
	over(&b.Iterations, j.Budgets.Iterations)
	over(&b.SubCalls, j.Budgets.SubCalls)
	over(&b.Tokens, j.Budgets.Tokens)
	over(&b.Cost, j.Budgets.Cost)
	over(&b.Time, j.Budgets.Time)
	over(&b.Depth, j.Budgets.Depth)
	over(&b.Errors, j.Budgets.Errors)
	return b
}

func over[N int | int64 | float64 | time.Duration](v *N, own N) {
	if own != 0 {
		*v = own
	}
}
