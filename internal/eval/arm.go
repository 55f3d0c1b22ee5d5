package eval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Arm is a way to answer. All arms of an evaluation answer the same items.
type Arm struct {
	Name string
	// Settings are what its answers depend on besides the item: model, window, prompt, budgets. Results of other settings are not its own.
	Settings string
	// Answer answers one item. It reports failures in the Reply. Its context's end is the only thing that it may leave unanswered.
	Answer func(ctx context.Context, item suite.Item) Reply
}

// Reply is what an arm made of an item.
type Reply struct {
	Answer string `json:"answer"`
	// Status says how it ended: completed, or why not.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Note says what the arm did that people should know, such as that it cut the text.
	Note string `json:"note,omitempty"`
	Run  string `json:"run,omitempty"` // of an rlm arm: its id

	Prompt     int64         `json:"prompt_tokens"`
	Completion int64         `json:"completion_tokens"`
	Cost       *float64      `json:"cost"` // US dollars; nil: not known
	Wall       time.Duration `json:"wall"`
	ModelTime  time.Duration `json:"model_time"`
	Turns      int           `json:"turns,omitempty"`
	Cells      int           `json:"cells,omitempty"`
	CellsOK    int           `json:"cells_ok,omitempty"` // that ran at first try
	Calls      int           `json:"calls"`              // of models
	// Wasted are calls of models that led to nothing: turns none of whose cells ran, and sub-calls that failed.
	Wasted int `json:"wasted,omitempty"`
}

// completed is the Status of an answer that came as it should.
const completed = "completed"

// caller calls a model for an arm that has no notebook, and counts.
type caller struct {
	model  llm.Model
	call   CallSettings
	prices llm.Prices
	reply  Reply
	priced bool // so far
}

// CallSettings are the same for all arms: none is favoured.
type CallSettings struct {
	Temperature *float64
	MaxTokens   int // of a reply; 0: the endpoint's default
}

func newCaller(m llm.Model, c CallSettings, prices llm.Prices) *caller {
	zero := 0.0
	return &caller{model: m, call: c, prices: prices, priced: true, reply: Reply{Cost: &zero}}
}

// ask sends one conversation of a system prompt and a message.
func (c *caller) ask(ctx context.Context, system, message string) (string, error) {
	began := time.Now()
	res, err := c.model.Generate(ctx, llm.Request{
		Messages:    []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: message}},
		Temperature: c.call.Temperature, MaxTokens: c.call.MaxTokens, Once: true,
	}, nil)
	c.reply.Calls++
	c.reply.ModelTime += time.Since(began)
	if err != nil {
		c.reply.Wasted++
		return "", err
	}
	c.reply.Prompt += res.Usage.Prompt
	c.reply.Completion += res.Usage.Completion
	cost := res.Cost
	if cost == nil {
		cost = c.prices.Cost(c.model.Name(), res.Usage)
	}
	if cost == nil {
		c.priced = false
	} else {
		*c.reply.Cost += *cost
	}
	return res.Content, nil
}

// end is the reply of a caller that is done.
func (c *caller) end(began time.Time, answer string, err error) Reply {
	r := c.reply
	r.Answer, r.Status, r.Wall = answer, completed, time.Since(began)
	if err != nil {
		r.Answer, r.Status, r.Error = "", "failed", err.Error()
	}
	if !c.priced {
		r.Cost = nil
	}
	return r
}

// whole is a context as one text, as the notebook has it.
func whole(item suite.Item) string {
	if len(item.Documents) == 1 {
		return item.Documents[0].Text
	}
	var b strings.Builder
	for i, d := range item.Documents {
		fmt.Fprintf(&b, "=== document %d: %s ===\n%s\n", i+1, d.Name, d.Text)
	}
	return b.String()
}

// usageOf adds up what a run used of all models.
func usageOf(usage map[string]trajectory.Usage) (prompt, completion int64) {
	for _, u := range usage {
		prompt += u.Prompt
		completion += u.Completion
	}
	return prompt, completion
}
