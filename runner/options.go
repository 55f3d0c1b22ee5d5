package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// Budgets bound one question and everything below it. A negative value means no bound, 0 the default; there is no way to
// spend without bound by saying nothing.
type Budgets struct {
	// Iterations bounds the turns of a run; a child run has the same number for itself. Default 30.
	Iterations int `json:"iterations"`
	// SubCalls bounds the calls of models below the root: sub-calls and every turn of child runs. Default 1000.
	SubCalls int64 `json:"sub_calls"`
	// Tokens bounds prompt and completion tokens of the whole tree. Default 10 000 000.
	Tokens int64 `json:"tokens"`
	// Cost bounds what the whole tree costs in USD, as far as prices are known. Default 10.
	Cost float64 `json:"cost"`
	// Time bounds the wall time of the question. Default 1 hour.
	Time time.Duration `json:"time"`
	// Depth is how deep child runs may nest; below it they fall back to plain sub-calls. Default 1; negative: no child runs.
	Depth int `json:"depth"`
	// Errors bounds turns in a row whose cells failed. Default: as termination.DefaultPolicy has it.
	Errors int `json:"errors"`
}

// settings are the part of a configuration that is plain data: it is written into the log, so that a resumed run goes
// on as it was begun.
type settings struct {
	Budgets     Budgets            `json:"budgets"`
	Mode        termination.Mode   `json:"mode"`
	Concurrency int                `json:"concurrency"`
	Memo        bool               `json:"memo,omitempty"`
	Rename      map[string]string  `json:"rename,omitempty"`
	Level       sandbox.Level      `json:"sandbox"`
	Limits      sandbox.Limits     `json:"limits"`
	System      string             `json:"system,omitempty"`
	Call        CallSettings       `json:"call,omitzero"`
	SubCall     CallSettings       `json:"sub_call,omitzero"`
	Window      int64              `json:"window,omitempty"`
	SubWindow   int64              `json:"sub_window,omitempty"`
	Policy      termination.Policy `json:"policy"`
}

// CallSettings are sent with each call of a model. The zero value means: the endpoint's default.
type CallSettings struct {
	Temperature     *float64 `json:"temperature,omitempty"`
	MaxTokens       int      `json:"max_tokens,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
}

type config struct {
	settings
	model    llm.Model
	sub      llm.Model
	models   map[string]llm.Model // by name, for sub-calls that ask for one
	prices   llm.Prices
	tools    []tool
	stop     StopFunc
	dataDir  string
	metadata json.RawMessage
	version  string
	errs     []error
}

// Option configures a Runner or changes the configuration of one run.
type Option func(*config)

// defaults is the configuration that options change.
func defaults(model llm.Model) config {
	return config{
		settings: settings{
			Mode:        termination.Response,
			Concurrency: 16,
			Level:       sandbox.Best,
			Policy:      termination.DefaultPolicy(termination.Response),
		},
		model:   model,
		sub:     model,
		models:  map[string]llm.Model{},
		prices:  llm.KnownPrices(),
		version: "devel",
	}
}

// with returns a copy of c changed by opts, checked.
func (c config) with(opts ...Option) (config, error) {
	models := make(map[string]llm.Model, len(c.models))
	for n, m := range c.models {
		models[n] = m
	}
	c.models = models
	for _, opt := range opts {
		opt(&c)
	}
	if err := errors.Join(c.errs...); err != nil {
		return c, err
	}
	if c.model != nil {
		c.models[c.model.Name()] = c.model
	}
	if c.sub != nil {
		c.models[c.sub.Name()] = c.sub
	}
	if c.dataDir == "" {
		dir, err := trajectory.DataDir()
		if err != nil {
			return c, err
		}
		c.dataDir = dir
	}
	if c.Concurrency < 1 {
		return c, fmt.Errorf("a concurrency of %d sub-calls makes no sense: use 1 or more", c.Concurrency)
	}
	return c, c.checkSignals()
}

// bounds returns the budgets with defaults filled in; 0 means no bound.
func (b Budgets) bounds() Budgets {
	def(&b.Iterations, 30)
	def(&b.SubCalls, 1000)
	def(&b.Tokens, 10_000_000)
	def(&b.Cost, 10)
	def(&b.Time, time.Hour)
	def(&b.Depth, 1)
	if b.Errors < 0 {
		b.Errors = 0
	}
	return b
}

func def[N int | int64 | float64 | time.Duration](v *N, d N) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

// WithBudgets bounds each question. Fields that are 0 keep their defaults.
func WithBudgets(b Budgets) Option { return func(c *config) { c.Budgets = b } }

// WithMode decides between a conversation (response, the default) and autonomous work that a person reviews (task).
func WithMode(m termination.Mode) Option { return func(c *config) { c.Mode = m } }

// WithPolicy replaces the thresholds, done sequences and switches that decide when a run stops. Mode and the limits of turns
// and errors come from WithMode and WithBudgets.
func WithPolicy(p termination.Policy) Option { return func(c *config) { c.Policy = p } }

// StopFunc is a condition from outside of the run, asked after each turn.
type StopFunc func(State) (reason string, stop bool)

// State is what a StopFunc decides by.
type State struct {
	Turn     int
	SubCalls int64
	Tokens   int64
	Cost     float64
	Elapsed  time.Duration
	Reply    string // the last reply
}

// WithStop adds a condition under which a run ends with the status "stopped".
func WithStop(stop StopFunc) Option { return func(c *config) { c.stop = stop } }

// WithModel replaces the model of the runner, for one run or one fork.
func WithModel(m llm.Model) Option { return func(c *config) { c.model = m } }

// WithSubModel answers sub-calls and child runs; by default the runner's own model does.
func WithSubModel(m llm.Model) Option { return func(c *config) { c.sub = m } }

// WithModels adds models that a cell may ask for by name.
func WithModels(models ...llm.Model) Option {
	return func(c *config) {
		for _, m := range models {
			c.models[m.Name()] = m
		}
	}
}

// WithConcurrency bounds the sub-calls of a run that are in flight at once. Default 16.
func WithConcurrency(n int) Option { return func(c *config) { c.Concurrency = n } }

// WithMemo lets an identical earlier sub-call of the session answer a later one. Off by default: asking
// again is how answers are sampled.
func WithMemo(on bool) Option { return func(c *config) { c.Memo = on } }

// WithRename gives builtins other names (standard name → name); an empty name leaves the builtin out.
func WithRename(names map[string]string) Option { return func(c *config) { c.Rename = names } }

// WithSandbox sets how cells are locked in and what each may use. Default: the best the machine offers.
func WithSandbox(level sandbox.Level, limits sandbox.Limits) Option {
	return func(c *config) { c.Level, c.Limits = level, limits }
}

// WithDataDir sets the folder below which runs are kept (<dir>/rlm/runs/<id>). Default: RLM_DATA_DIR, else the
// platform's folder for data.
func WithDataDir(dir string) Option { return func(c *config) { c.dataDir = dir } }

// WithPrices lays a price table over the built-in one. What an endpoint reports wins.
func WithPrices(p llm.Prices) Option { return func(c *config) { c.prices = c.prices.With(p) } }

// WithSystem adds text to the system prompt.
func WithSystem(text string) Option { return func(c *config) { c.System = text } }

// WithCallSettings sets what is sent with the calls of the run's own model, and with those of sub-calls.
func WithCallSettings(root, sub CallSettings) Option {
	return func(c *config) { c.Call, c.SubCall = root, sub }
}

// WithWindows sets the context windows in tokens of the model and the sub-model, for models that are not well known.
func WithWindows(model, sub int64) Option {
	return func(c *config) { c.Window, c.SubWindow = model, sub }
}

// WithMetadata attaches the caller's own data to the run; it comes back in the events that open and close it.
func WithMetadata(m json.RawMessage) Option { return func(c *config) { c.metadata = m } }

// WithVersion names the program in the log.
func WithVersion(v string) Option { return func(c *config) { c.version = v } }
