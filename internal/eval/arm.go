package eval

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/llm"
)

// Arm is a way to answer. All arms of an evaluation answer the same items.
type Arm struct {
	Name string
	// Settings are what its answers depend on besides the item: model, window, prompt, budgets. Stored results with
	// other settings are not reused.
	Settings string
	// Answer answers one item. It reports failures in the Reply. The reply is ignored if the context has ended.
	Answer func(ctx context.Context, item suite.Item, at *Attempt) Reply
	// Most returns the maximal cost in US dollars of one answer over a context of that many tokens; known is false
	// if there is no bound. A nil Most means free.
	Most func(tokens int) (usd float64, known bool)
}

func (a Arm) most(tokens int) (usd float64, known bool) {
	if a.Most == nil {
		return 0, true
	}
	return a.Most(tokens)
}

// Attempt is an answer in progress, whose run is recorded on disk.
type Attempt struct {
	// Key identifies the answer: the item's text and the arm with its settings.
	Key string
	// Run is the run that an earlier process started for this answer; "" if there is none.
	Run   string
	begin func(run string) error
}

// Begin records the ID of the run that makes the answer, so that it is resumed if this process ends.
func (a *Attempt) Begin(run string) error {
	if a.Run == run || a.begin == nil {
		return nil
	}
	return a.begin(run)
}

// Most returns, for each arm in order, the maximal cost in US dollars of answering and scoring all items; NaN if
// it is unknown.
func (e Evaluation) Most() []float64 {
	out := make([]float64, len(e.Arms))
	for a, arm := range e.Arms {
		for i := range e.Items.Len {
			usd, known := arm.most(e.Items.Length(i))
			if !known {
				usd = math.NaN()
			}
			out[a] += usd
		}
	}
	for _, s := range e.Scorers {
		if s.Most == nil {
			continue
		}
		usd, known := s.Most()
		if !known {
			usd = math.NaN()
		}
		for a := range out {
			out[a] += usd * float64(e.Items.Len)
		}
	}
	return out
}

// Reply is an arm's answer to an item.
type Reply struct {
	Answer string `json:"answer"`
	// Status is how the answer ended: completed, or why not.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Note is anything that people should know, for example that the arm cut the text.
	Note string `json:"note,omitempty"`
	Run  string `json:"run,omitempty"` // id of the run, for an rlm arm
	// Grounding is whether the answer's values were found in the run: grounded, partly, not or untraced.
	Grounding string `json:"grounding,omitempty"`
	// Guess and CutReplies are those of runner.Result: nothing was looked at before the answer; replies that were cut,
	// filtered or refused.
	Guess      bool `json:"guess,omitempty"`
	CutReplies int  `json:"cut_replies,omitempty"`

	Prompt     int64         `json:"prompt_tokens"`
	Completion int64         `json:"completion_tokens"`
	Cost       *float64      `json:"cost"` // US dollars; nil: unknown
	Wall       time.Duration `json:"wall"`
	ModelTime  time.Duration `json:"model_time"`
	Turns      int           `json:"turns,omitempty"`
	Cells      int           `json:"cells,omitempty"`
	CellsOK    int           `json:"cells_ok,omitempty"` // cells that succeeded
	Calls      int           `json:"calls"`              // calls of models
	// Wasted counts model calls without effect: turns in which no cell succeeded, and failed sub-calls.
	Wasted int `json:"wasted,omitempty"`

	cause error // the error that Error describes; not stored
}

const (
	completed = "completed" // the Status of a normal answer
	begun     = "begun"     // the Status of an answer that was unfinished when the process ended
)

// caller calls a model for an arm without a notebook, and counts calls, tokens and cost.
type caller struct {
	model  llm.Model
	call   CallSettings
	prices llm.Prices
	reply  Reply
	priced bool // all calls so far had prices
}

// Dearest returns the highest possible cost in US dollars of one answer and its scores; NaN if it is unknown.
func (e Evaluation) Dearest() float64 {
	dearest := 0.0
	for i := range e.Items.Len {
		one := Evaluation{
			Items: Items{Len: 1, Length: func(int) int { return e.Items.Length(i) }}, Arms: e.Arms,
			Scorers: e.Scorers,
		}
		for _, usd := range one.Most() {
			dearest = max(dearest, usd)
		}
	}
	return dearest
}

// CallSettings are the same for all arms, so that none is favoured.
type CallSettings struct {
	Temperature     *float64
	MaxTokens       int // maximal length of a reply; 0: the endpoint's default
	ReasoningEffort string
}

func newCaller(m llm.Model, c CallSettings, prices llm.Prices) *caller {
	zero := 0.0
	return &caller{model: m, call: c, prices: prices, priced: true, reply: Reply{Cost: &zero}}
}

// ask sends one system prompt and one message.
func (c *caller) ask(ctx context.Context, system, message string) (string, error) {
	began := time.Now()
	res, err := c.model.Generate(ctx, llm.Request{
		Messages:    []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: message}},
		Temperature: c.call.Temperature, MaxTokens: c.call.MaxTokens, ReasoningEffort: c.call.ReasoningEffort,
		Once: true,
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

// add adds another caller's counts.
func (c *caller) add(o *caller) {
	c.reply.Calls += o.reply.Calls
	c.reply.Wasted += o.reply.Wasted
	c.reply.Prompt += o.reply.Prompt
	c.reply.Completion += o.reply.Completion
	c.reply.ModelTime += o.reply.ModelTime
	*c.reply.Cost += *o.reply.Cost
	c.priced = c.priced && o.priced
}

// end returns the reply of a finished caller.
func (c *caller) end(began time.Time, answer string, err error) Reply {
	r := c.reply
	r.Answer, r.Status, r.Wall = answer, completed, time.Since(began)
	if err != nil {
		r.Answer, r.Status, r.Error, r.cause = "", "failed", err.Error(), err
	}
	if !c.priced {
		r.Cost = nil
	}
	return r
}

// whole returns a context as one text, with headers between several documents, as in the notebook.
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
