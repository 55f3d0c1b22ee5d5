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
	// Settings are what its answers depend on besides the item: model, window, prompt, budgets. Results of other settings are not its own.
	Settings string
	// Answer answers one item. It reports failures in the Reply. Its context's end is the only thing that it may leave unanswered.
	Answer func(ctx context.Context, item suite.Item, at *Attempt) Reply
	// Most is what one answer over a context of so many tokens can cost at most in US dollars; false if that is not known. nil: nothing.
	Most func(tokens int) (usd float64, known bool)
}

func (a Arm) most(tokens int) (usd float64, known bool) {
	if a.Most == nil {
		return 0, true
	}
	return a.Most(tokens)
}

// Attempt is what an arm knows and tells of an answer that is kept on disk while it is made.
type Attempt struct {
	// Key identifies the answer: the item's text and the arm with its settings.
	Key string
	// Run is the run that an earlier process began for this answer; "" if there is none.
	Run   string
	begin func(run string) error
}

// Begin keeps the ID of the run that makes the answer, so that it is resumed if this process ends.
func (a *Attempt) Begin(run string) error {
	if a.Run == run || a.begin == nil {
		return nil
	}
	return a.begin(run)
}

// Most adds up what all arms can cost over all items in US dollars with their scores, for each arm in their order; NaN where it is not
// known.
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

// Reply is what an arm made of an item.
type Reply struct {
	Answer string `json:"answer"`
	// Status says how it ended: completed, or why not.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Note says what the arm did that people should know, such as that it cut the text.
	Note string `json:"note,omitempty"`
	Run  string `json:"run,omitempty"` // of an rlm arm: its id
	// Grounding says whether what the answer states was found in the run: grounded, partly, not or untraced.
	Grounding string `json:"grounding,omitempty"`

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

	cause error // of Error, while the process lives
}

const (
	completed = "completed" // the Status of an answer that came as it should
	begun     = "begun"     // of one that was not there yet when the process ended
)

// caller calls a model for an arm that has no notebook, and counts.
type caller struct {
	model  llm.Model
	call   CallSettings
	prices llm.Prices
	reply  Reply
	priced bool // so far
}

// Dearest is the most that one answer with its score can cost in US dollars; NaN if it is not known.
func (e Evaluation) Dearest() float64 {
	dearest := 0.0
	for i := range e.Items.Len {
		one := Evaluation{Items: Items{Len: 1, Length: func(int) int { return e.Items.Length(i) }}, Arms: e.Arms, Scorers: e.Scorers}
		for _, usd := range one.Most() {
			dearest = max(dearest, usd)
		}
	}
	return dearest
}

// CallSettings are the same for all arms: none is favoured.
type CallSettings struct {
	Temperature     *float64
	MaxTokens       int // of a reply; 0: the endpoint's default
	ReasoningEffort string
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
		Temperature: c.call.Temperature, MaxTokens: c.call.MaxTokens, ReasoningEffort: c.call.ReasoningEffort, Once: true,
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

// add adds what another caller counted.
func (c *caller) add(o *caller) {
	c.reply.Calls += o.reply.Calls
	c.reply.Wasted += o.reply.Wasted
	c.reply.Prompt += o.reply.Prompt
	c.reply.Completion += o.reply.Completion
	c.reply.ModelTime += o.reply.ModelTime
	*c.reply.Cost += *o.reply.Cost
	c.priced = c.priced && o.priced
}

// end is the reply of a caller that is done.
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
