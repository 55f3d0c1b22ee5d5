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

// WithBudgets bounds each question. Fields that are 0 keep their defaults.
func WithBudgets(b Budgets) Option { return func(c *config) { c.Budgets = b } }

// WithMode decides between a conversation (response, the default) and autonomous work that a person reviews (task).
func WithMode(m termination.Mode) Option { return func(c *config) { c.Mode = m } }

// WithPolicy replaces the thresholds, done sequences and switches that decide when a run stops. Mode and the limits of turns
// and errors come from WithMode and WithBudgets.
func WithPolicy(p termination.Policy) Option { return func(c *config) { c.Policy = p } }

// WithStop adds a condition under which a run ends with the status "stopped".
func WithStop(stop StopFunc) Option { return func(c *config) { c.stop = stop } }

// WithSchema gives answers a form: a JSON schema (2020-12: type, enum, const, properties, required, additionalProperties, items,
// prefixItems, anyOf, $defs, $ref, minimum, maximum, lengths, pattern, format date and date-time; New names the path of anything else), or
// in short the fields with their Go types, "name string, year int, tags []string". The notebook declares it as the Go type Answer, which FINAL
// takes. An answer is checked by the host; one that does not fit costs a turn, and the model is told which field. Result.Answer is
// compact JSON with its fields in the schema's order. Child runs answer as they like.
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

// WithEvents has read called in a goroutine of its own for each session that the runner begins or opens, with the session's events: all of
// them, or, of a session that goes on, those from then on. They end when the session is closed, and Close waits for read. So a program
// observes all its runs in one place. A reader that is slow misses transient events and no others, and never holds up a run.
func WithEvents(read func(session string, events iter.Seq[trajectory.Event])) Option {
	return func(c *config) {
		if read == nil {
			c.errs = append(slices.Clone(c.errs), errors.New("the reader of WithEvents is nil"))
		}
		c.readers = append(slices.Clone(c.readers), read)
	}
}

// WithModel replaces the model of the runner, for one run or one fork.
func WithModel(m llm.Model) Option { return func(c *config) { c.model = m } }

// WithSubModel answers sub-calls and child runs; by default the runner's own model does.
func WithSubModel(m llm.Model) Option { return func(c *config) { c.sub = m } }

// WithModels adds models that a cell may ask for by name.
func WithModels(models ...llm.Model) Option {
	return func(c *config) {
		for _, m := range models {
			c.add(m)
		}
	}
}

// WithConcurrency bounds the sub-calls of a run that are in flight at once. Default 16.
func WithConcurrency(n int) Option { return func(c *config) { c.Concurrency = n } }

// WithMemo lets an identical earlier sub-call of the session answer a later one. Off by default: asking
// again is how answers are sampled.
func WithMemo(on bool) Option { return func(c *config) { c.Memo = on } }

// WithRunID sets the id of the next session or run, which must be new below the folder for runs ([trajectory.NewID] makes
// one; another id is the name of a folder, without a dot). It is for who has to know a run before it begins, so that it is
// found again whatever happens. A runner with it begins one run.
func WithRunID(id string) Option { return func(c *config) { c.runID = id } }

// WithRename gives builtins other names (standard name → name); an empty name leaves the builtin out.
func WithRename(names map[string]string) Option { return func(c *config) { c.Rename = names } }

// WithSandbox sets how cells are locked in and what each may use. Default: the best the machine offers.
func WithSandbox(level sandbox.Level, limits sandbox.Limits) Option {
	return func(c *config) { c.Level, c.Limits = level, limits }
}

// WithEngine sets what runs the cells: repl.Yaegi, repl.Exact, or sandbox.Auto, the default, which begins in yaegi and moves to the
// exact engine when a cell needs it.
func WithEngine(e repl.Engine) Option { return func(c *config) { c.Engine = e } }

// WithDataDir sets the folder below which runs are kept (<dir>/rlm/runs/<id>). Default: RLM_DATA_DIR, else the
// platform's folder for data.
func WithDataDir(dir string) Option { return func(c *config) { c.dataDir = dir } }

// WithPrices lays a price table over the built-in one. What an endpoint reports wins.
func WithPrices(p llm.Prices) Option { return func(c *config) { c.prices = c.prices.With(p) } }

// WithSystem adds text to the system prompt.
func WithSystem(text string) Option { return func(c *config) { c.System = text } }

// WithPrompts tells the model in the words of other templates. Nil, as without this option, is the shipped prompt, or the short one where
// a model's window has fewer than 16 000 tokens, or its name says that it has fewer than 9 thousand million parameters; an empty Variant is
// the shipped prompt for all models. Child runs are told in the same words.
func WithPrompts(v prompts.Variant) Option { return func(c *config) { c.Prompts = v } }

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

// WithKeptContext sets up to which size in bytes a session keeps a compressed copy of the files it was given, so that it can be
// opened as it was when they change. Larger contexts are read again from their files. 0 or less keeps none. Text that was given as
// a string or a stream is always kept. Default: 16 MB.
func WithKeptContext(bytes int64) Option { return func(c *config) { c.Kept = max(bytes, 0) } }

// WithHost sets what package runner/host has functions for.
func WithHost(set func(*hostopt.Options)) Option { return func(c *config) { set(&c.host) } }
