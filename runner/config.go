package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/runner/internal/schema"
	"github.com/gorlm/rlm/runner/internal/tool"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// Budgets bound one question and everything below it. In each field, 0 means the default and a negative value no
// bound, so that nothing is unbounded by omission.
type Budgets struct {
	// Iterations bounds the turns of each run, including child runs. Default 30.
	Iterations int `json:"iterations"`
	// SubCalls bounds calls of models below the root: sub-calls and the turns of child runs. Default 1000.
	SubCalls int64 `json:"sub_calls"`
	// Tokens bounds the prompt and completion tokens of the whole tree. Default 10 000 000.
	Tokens int64 `json:"tokens"`
	// Completion bounds the tokens of all replies of the whole tree, including thoughts; a reply in flight at the
	// bound is not cut. Default: no bound besides Tokens.
	Completion int64 `json:"completion,omitempty"`
	// Cost bounds what the whole tree costs in USD, as far as prices are known. Default 10.
	Cost float64 `json:"cost"`
	// Time bounds the wall time of the question. Default 1 hour.
	Time time.Duration `json:"time"`
	// Depth bounds the nesting of child runs; beyond it plain sub-calls replace them. Default 1; negative: no child
	// runs.
	Depth int `json:"depth"`
	// Errors bounds consecutive turns whose cells failed. Default 5.
	Errors int `json:"errors"`
	// Recorded bounds the bytes of texts (prompts, replies, texts of child runs) that sub-calls write to the log. A
	// call beyond it fails; the run continues. Default 1 GiB.
	Recorded int64 `json:"recorded,omitempty"`
}

// DefaultBudgets returns the budgets of a question whose options set none.
func DefaultBudgets() Budgets {
	p := termination.DefaultPolicy(termination.Response)
	return Budgets{
		Iterations: p.MaxTurns, SubCalls: 1000, Tokens: 10_000_000, Cost: 10, Time: time.Hour, Depth: 1,
		Errors:   p.MaxErrors,
		Recorded: 1 << 30,
	}
}

// DefaultConcurrency is how many sub-calls of a run may be in flight at the same time by default.
const DefaultConcurrency = 16

// defaultKeptContext is the default size in bytes up to which a session keeps a copy of its context.
const defaultKeptContext = 16 << 20

// settings is the part of a configuration that is plain data. The log contains it, so that a run resumes with the
// settings that it began with.
type settings struct {
	Budgets     Budgets            `json:"budgets"`
	Mode        termination.Mode   `json:"mode"`
	Concurrency int                `json:"concurrency"`
	Memo        bool               `json:"memo,omitempty"`
	Rename      map[string]string  `json:"rename,omitempty"`
	Level       sandbox.Level      `json:"sandbox"`
	Limits      sandbox.Limits     `json:"limits"`
	Engine      repl.Engine        `json:"engine,omitempty"`
	System      string             `json:"system,omitempty"`
	Prompts     prompts.Variant    `json:"prompts,omitempty"` // templates that replace the shipped ones
	Call        CallSettings       `json:"call,omitzero"`
	SubCall     CallSettings       `json:"sub_call,omitzero"`
	Window      int64              `json:"window,omitempty"`
	SubWindow   int64              `json:"sub_window,omitempty"`
	Kept        int64              `json:"kept_context,omitempty"`
	Policy      termination.Policy `json:"policy"`
	Schema      string             `json:"schema,omitempty"` // schema of answers, as JSON Schema
	// letters in the session's marks of evidence; see answer.Letters
	Marks      string         `json:"marks,omitempty"`
	Conversion Conversion     `json:"conversion,omitzero"`
	Tools      []tool.Outside `json:"tools,omitempty"` // tools of other programs, as declared
}

// CallSettings are sent with each call of a model. The zero value means the endpoint's defaults.
type CallSettings struct {
	Temperature     *float64 `json:"temperature,omitempty"`
	MaxTokens       int      `json:"max_tokens,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
}

// Conversion bounds the conversion of documents that are not text. Zero values mean the defaults.
type Conversion struct {
	Memory  int64         `json:"memory,omitempty"`  // bytes of memory for the worker of one document; default 512 MiB
	Timeout time.Duration `json:"timeout,omitempty"` // for one document; default 60 s
	// Cache bounds in bytes the results that are stored so that a document is converted only once; default 2 GB,
	// negative: none are stored.
	Cache int64 `json:"cache,omitempty"`
	// Dir is the cache folder; default: below the data folder.
	Dir string `json:"-"`
}

type config struct {
	settings
	model    llm.Model
	sub      llm.Model
	models   map[string]llm.Model // by name, for sub-calls that ask for one
	prices   llm.Prices
	tools    []tool.Tool
	stop     StopFunc
	host     hostopt.Options
	dataDir  string
	runID    string // id of the next session; empty: a new id
	metadata json.RawMessage
	errs     []error
	readers  []func(session string, events iter.Seq[trajectory.Event])
	listers  []ToolLister
	outside  map[outsideKey]OutsideTool // the tools whose programs are running

	privateURLs bool // URLs may refer to private addresses

	answerForm *schema.Schema // parsed from Schema; nil: answers may be anything
	answerType reflect.Type   // Go type of the answer; nil: not set
}

// defaults is the configuration before any option.
func defaults(model llm.Model) config {
	return config{
		settings: settings{
			Mode:        termination.Response,
			Concurrency: DefaultConcurrency,
			Kept:        defaultKeptContext,
			Level:       sandbox.Best,
			Engine:      sandbox.Auto,
			Policy:      termination.DefaultPolicy(termination.Response),
		},
		model:  model,
		sub:    model,
		models: map[string]llm.Model{},
		prices: llm.KnownPrices(),
		host:   hostopt.Options{Version: "devel"},
	}
}

// with returns a checked copy of c with opts applied.
func (c config) with(opts ...Option) (config, error) {
	c.models = maps.Clone(c.models)
	for i, opt := range opts {
		if opt == nil {
			return c, fmt.Errorf("option %d is nil", i+1)
		}
		opt(&c)
	}
	c.add(c.model)
	c.add(c.sub)
	if err := errors.Join(errors.Join(c.errs...), c.validate()); err != nil {
		return c, err
	}
	c.prices = priced(c.prices, c.models)
	if c.dataDir == "" {
		dir, err := trajectory.DataDir()
		if err != nil {
			return c, err
		}
		c.dataDir = dir
	}
	if c.Concurrency < 1 {
		return c, fmt.Errorf("the concurrency of sub-calls must be 1 or more, not %d", c.Concurrency)
	}
	if known := append([]repl.Engine{"", sandbox.Auto}, repl.Available()...); !slices.Contains(known, c.Engine) {
		return c, fmt.Errorf("%w: use one of %v", c.Engine.Check(), known[1:])
	}
	levels := []sandbox.Level{sandbox.Best, sandbox.Strict, sandbox.Standard, sandbox.Basic}
	if c.Level != "" && !slices.Contains(levels, c.Level) {
		return c, fmt.Errorf("unknown sandbox level %q: use one of %v", c.Level, levels)
	}
	if len(c.Prompts) > 0 {
		if err := c.Prompts.Check(); err != nil {
			return c, err
		}
	}
	form, err := formOf(c.settings)
	if err != nil {
		return c, err
	}
	c.answerForm = form
	return c, c.checkSignals()
}

// add registers a model that cells may ask for by name.
func (c *config) add(m llm.Model) {
	var err error
	callback.Guard("the method Name of a model", &err, func() error {
		if m == nil {
			return errors.New("a model is nil")
		}
		c.models[m.Name()] = m
		return nil
	})
	if err != nil {
		c.errs = append(c.errs[:len(c.errs):len(c.errs)], err)
	}
}

const mostRunID = 128

// isRunID reports whether a text can be the id of a run. An id contains no dot, because a dot separates it from the
// number of a question.
func isRunID(id string) bool {
	odd := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune(`/\:.`, c) }
	return len(id) <= mostRunID && filepath.IsLocal(id) && strings.TrimSpace(id) == id && !strings.ContainsFunc(id, odd)
}

// validate reports a setting that makes no sense.
func (c config) validate() error {
	if c.runID != "" && !isRunID(c.runID) {
		const no = "the id of a run must be a folder name without a dot, unlike %q: trajectory.NewID makes one"
		return fmt.Errorf(no, text.Cut(c.runID, mostRunID))
	}
	if len(c.metadata) > 0 && !json.Valid(c.metadata) {
		return errors.New("a run's metadata must be valid JSON")
	}
	numbers := map[string]float64{"the budget of cost": c.Budgets.Cost}
	for name, set := range map[string]CallSettings{"calls": c.Call, "sub-calls": c.SubCall} {
		if set.Temperature != nil {
			numbers["the temperature of "+name] = *set.Temperature
		}
		if set.MaxTokens < 0 {
			return fmt.Errorf("a limit of %d tokens for the replies to %s is invalid: 0 is the endpoint's default",
				set.MaxTokens, name)
		}
	}
	for model, p := range c.prices {
		if err := p.Check(); err != nil {
			return fmt.Errorf("the price of %s: %w", model, err)
		}
	}
	for name, n := range numbers {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return fmt.Errorf("%s is %v: use a number", name, n)
		}
	}
	if c.Window < 0 || c.SubWindow < 0 {
		return fmt.Errorf("windows of %d and %d tokens are invalid: 0 means unknown", c.Window,
			c.SubWindow)
	}
	return nil
}

// priced adds the prices that models report about themselves to a price table. The reported prices override
// built-in ones, but not those that the caller set.
func priced(prices llm.Prices, models map[string]llm.Model) llm.Prices {
	var add func(llm.Model)
	own := llm.Prices{}
	add = func(m llm.Model) {
		if all, ok := m.(*llm.Fallback); ok {
			for _, one := range all.Models() {
				add(one)
			}
			return
		}
		price := llm.FactsOf(m).Price
		known := llm.Known(m.Name()).Price
		set, ok := prices.Lookup(m.Name())
		if price != nil && (!ok || known != nil && reflect.DeepEqual(set, *known)) {
			own[m.Name()] = *price
		}
	}
	for _, m := range models {
		add(m)
	}
	return prices.With(own)
}

// filled returns the budgets with defaults filled in; 0 then means no bound.
func (b Budgets) filled() Budgets {
	b = b.or(DefaultBudgets())
	return Budgets{
		Iterations: max(b.Iterations, 0), SubCalls: max(b.SubCalls, 0), Tokens: max(b.Tokens, 0),
		Completion: max(b.Completion, 0),
		Cost:       max(b.Cost, 0), Time: max(b.Time, 0), Depth: max(b.Depth, 0), Errors: max(b.Errors, 0),
		Recorded: max(b.Recorded, 0),
	}
}

// Unbounded converts budgets from the form that Session.Budgets returns, in which 0 means no bound, to the form
// that options take, in which a negative value does.
func (b Budgets) Unbounded() Budgets {
	return b.or(Budgets{
		Iterations: -1, SubCalls: -1, Tokens: -1, Completion: -1, Cost: -1, Time: -1, Depth: -1,
		Errors: -1, Recorded: -1,
	})
}

// or returns b with the fields of d where b has 0.
func (b Budgets) or(d Budgets) Budgets {
	return Budgets{
		Iterations: cmp.Or(b.Iterations, d.Iterations), SubCalls: cmp.Or(b.SubCalls, d.SubCalls),
		Tokens:     cmp.Or(b.Tokens, d.Tokens),
		Completion: cmp.Or(b.Completion, d.Completion), Cost: cmp.Or(b.Cost, d.Cost), Time: cmp.Or(b.Time, d.Time),
		Depth: cmp.Or(b.Depth, d.Depth), Errors: cmp.Or(b.Errors, d.Errors), Recorded: cmp.Or(b.Recorded, d.Recorded),
	}
}

// bounds returns the budgets that a lease enforces.
func (b Budgets) bounds() budget.Bounds {
	return budget.Bounds{
		Turns: b.Iterations, SubCalls: b.SubCalls, Tokens: b.Tokens, Completion: b.Completion,
		Cost: b.Cost, Time: b.Time, Recorded: b.Recorded,
	}
}

// letters returns the letters in the marks of the session id.
func (c config) letters(id string) string {
	if c.Marks != "" {
		return c.Marks
	}
	return answer.Letters(uint64(seedOf(id, "marks")))
}

// seedOf derives a seed that differs from run to run, and is the same when a run resumes.
func seedOf(id, path string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id + " " + path))
	return int64(h.Sum64() >> 2)
}

// Option configures a Runner or changes the configuration of one run.
type Option func(*config)
