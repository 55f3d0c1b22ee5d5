package runner

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// WithBudgets bounds each question. Zero fields keep their defaults.
func WithBudgets(b Budgets) Option { return func(c *config) { c.Budgets = b } }

// WithMode selects a conversation (response, the default) or autonomous work that a person reviews (task).
func WithMode(m termination.Mode) Option { return func(c *config) { c.Mode = m } }

// WithPolicy replaces the thresholds, done sequences and switches that decide when a run stops. The mode and the
// limits on turns and errors come from WithMode and WithBudgets.
func WithPolicy(p termination.Policy) Option { return func(c *config) { c.Policy = p } }

// WithStop adds a condition under which a run ends with the status "stopped".
func WithStop(stop StopFunc) Option { return func(c *config) { c.stop = stop } }

// WithSchema gives answers a form: a JSON schema (2020-12: type, enum, const, properties, required,
// additionalProperties, items, prefixItems, anyOf, $defs, $ref, minimum, maximum, lengths, pattern, format date
// and date-time; for anything else New fails with its path), or in short the fields with their Go types, "name
// string, year int, tags []string". The notebook declares it as the Go type Answer, which FINAL takes. The host
// checks an answer; one that does not fit costs a turn, and the model is told which field is wrong. Result.Answer
// is compact JSON with its fields in the schema's order. Answers of child runs need no form.
func WithSchema(form string) Option {
	return func(c *config) {
		s, err := readForm(form)
		if err != nil {
			c.errs = append(slices.Clone(c.errs), err)
			return
		}
		c.Schema = s.JSON
	}
}

// WithEvents calls read in a new goroutine for each session that the runner begins or opens, with the session's
// events: all of them, or, for a session that was opened, those from then on. They end when the session is closed,
// and Close waits for read. A program can thus observe all its runs in one place. A slow reader misses only
// transient events, and never holds up a run.
func WithEvents(read func(session string, events iter.Seq[trajectory.Event])) Option {
	return func(c *config) {
		if read == nil {
			c.errs = append(slices.Clone(c.errs), errors.New("the reader of WithEvents is nil"))
		}
		c.readers = append(slices.Clone(c.readers), read)
	}
}

// WithModel replaces the runner's model, for one run or one fork.
func WithModel(m llm.Model) Option { return func(c *config) { c.model = m } }

// WithSubModel sets the model for sub-calls and child runs; the default is the runner's model.
func WithSubModel(m llm.Model) Option { return func(c *config) { c.sub = m } }

// WithModels adds models that cells may ask for by name.
func WithModels(models ...llm.Model) Option {
	return func(c *config) {
		for _, m := range models {
			c.add(m)
		}
	}
}

// WithConcurrency bounds the sub-calls of a run in flight at the same time. Default 16.
func WithConcurrency(n int) Option { return func(c *config) { c.Concurrency = n } }

// WithMemo answers a sub-call with the reply to an identical earlier one of the session. Off by default, since
// repeated calls are a way to sample answers.
func WithMemo(on bool) Option { return func(c *config) { c.Memo = on } }

// WithRunID sets the id of the next session or run, which must be new below the folder for runs ([trajectory.NewID]
// makes one; any other id must be a valid folder name without a dot). Use it to know the id before the run begins,
// so that the run can be found whatever happens. A runner with this option begins one run.
func WithRunID(id string) Option { return func(c *config) { c.runID = id } }

// WithRename gives builtins other names (standard name → name); an empty name leaves the builtin out.
func WithRename(names map[string]string) Option { return func(c *config) { c.Rename = names } }

// WithSandbox sets how cells are isolated and their limits. Default: the best that the machine offers.
func WithSandbox(level sandbox.Level, limits sandbox.Limits) Option {
	return func(c *config) { c.Level, c.Limits = level, limits }
}

// WithEngine sets the engine that runs the cells: repl.Yaegi, repl.Exact, or sandbox.Auto, the default, which
// starts in yaegi and moves to the exact engine when a cell needs it.
func WithEngine(e repl.Engine) Option { return func(c *config) { c.Engine = e } }

// WithDataDir sets the folder below which runs are kept (<dir>/rlm/runs/<id>). Default: RLM_DATA_DIR, else the
// platform's data folder.
func WithDataDir(dir string) Option { return func(c *config) { c.dataDir = dir } }

// WithPrices adds a price table that overrides the built-in one. Prices that an endpoint reports override both.
func WithPrices(p llm.Prices) Option { return func(c *config) { c.prices = c.prices.With(p) } }

// WithSystem adds text to the system prompt.
func WithSystem(text string) Option { return func(c *config) { c.System = text } }

// WithPrompts replaces the prompt templates. Nil, the default, means the shipped prompt, or the short one if a
// model's window has fewer than 16 000 tokens or its name states fewer than 9 billion parameters; an empty Variant
// means the shipped prompt for all models. Child runs use the same templates.
func WithPrompts(v prompts.Variant) Option { return func(c *config) { c.Prompts = v } }

// WithCallSettings sets the parameters of calls to the run's own model and of sub-calls.
func WithCallSettings(root, sub CallSettings) Option {
	return func(c *config) { c.Call, c.SubCall = root, sub }
}

// WithWindows sets the context windows in tokens of the model and the sub-model, for models that are not well
// known.
func WithWindows(model, sub int64) Option {
	return func(c *config) { c.Window, c.SubWindow = model, sub }
}

// WithMetadata attaches the caller's data to the run; the events that open and close the run contain it.
func WithMetadata(m json.RawMessage) Option { return func(c *config) { c.metadata = m } }

// WithKeptContext sets the size in bytes up to which a session keeps a compressed copy of its files, so that it
// can be opened unchanged after they change. Larger contexts are read again from their files. 0 or less keeps no
// copy. Text that was given as a string or a stream is always kept. Default: 16 MB.
func WithKeptContext(bytes int64) Option { return func(c *config) { c.Kept = max(bytes, 0) } }

// WithHost applies the options of package runner/host.
func WithHost(set func(*hostopt.Options)) Option { return func(c *config) { set(&c.host) } }
