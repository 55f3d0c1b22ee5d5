package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const runHelp = `Answer a question about files, folders, web pages and streams.

Paths are files, folders, patterns ('logs/**/*.log') or URLs (https://…); folders are walked, respecting
.gitignore. Documents (PDF, Office, HTML, mail, archives, Parquet, SQLite, …) are converted; files that cannot
be read are skipped and listed. Standard input is read when a path is "-", or when no path is given and it is
not a terminal. With -f the question is read from a file, and all arguments are paths.

The answer, and nothing else, goes to stdout (as Markdown on a terminal); progress goes to stderr. The
passages that the answer cites are listed below it on a terminal, otherwise on stderr.

Exit codes:
  0    answered (also when a limit ended the run but there is an answer: the status says which limit)
  1    failed
  2    wrong usage: a bad flag or argument (including a missing file), bad configuration, or no model
  3    no answer, or one that lacks what was required (evidence_missing, not_grounded)
  4    the model endpoint failed, or its content filter withheld the replies
  130  stopped; the run is kept, and 'rlm resume' continues it

Environment:
  OPENAI_API_KEY    key of OpenAI, or of the endpoint in OPENAI_BASE_URL (likewise ANTHROPIC_API_KEY, GEMINI_API_KEY,
                    OPENROUTER_API_KEY, AZURE_OPENAI_API_KEY with AZURE_OPENAI_ENDPOINT; 'rlm keys' stores keys)
  OPENAI_BASE_URL   endpoint, if not OpenAI's
  RLM_MODEL         model that answers
  RLM_SUB_MODEL     model for sub-calls
  RLM_DATA_DIR      where runs are kept (default: the platform's data folder)
  OLLAMA_HOST       where to look for a local Ollama when no key or endpoint is set
  NO_COLOR          no colours

Flags override the environment, which overrides the configuration file (see 'rlm config').`

// askFlags are the flags of a run that are not settings.
type askFlags struct {
	displayFlags
	questionFile string
	schema       string
	dryRun, web  bool
	consent      func(context.Context, mcp.Question) (mcp.Consent, error) // nil if nobody can be asked
}

func (l *launcher) runCommand(at *serverConn) *cobra.Command {
	var ask askFlags
	cmd := &cobra.Command{
		Use:     "run [flags] QUESTION [PATH…]",
		Short:   "Answer a question about files, folders, web pages or stdin",
		Long:    runHelp,
		Example: "  rlm run \"Which outages had the same cause?\" logs/ notes.md\n  journalctl | rlm run \"What failed last night?\" -",
		RunE:    func(cmd *cobra.Command, args []string) error { return l.run(cmd, at, ask, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&ask.questionFile, "question-file", "f", "", "read the question from this file, - for stdin")
	f.BoolVar(&ask.dryRun, "dry-run", false,
		"print the first prompt, its tokens and the price of the worst case; call no model")
	f.BoolVar(&ask.web, "web", false,
		"open the run in a browser too: in a running 'rlm serve', or otherwise in a temporary server until Ctrl-C")
	ask.flags(f)
	l.set.modelFlags(f)
	l.set.policyFlags(f, &ask)
	l.set.budgetFlags(f)
	l.set.cellFlags(f)
	l.set.mcpFlags(f)
	return cmd
}

// policyFlags are the flags for when a run ends, for the form of its answer and for the wording of prompts.
func (s *settings) policyFlags(f *pflag.FlagSet, ask *askFlags) {
	inGroup(f, groupStop, func() {
		f.StringVar(&s.Mode, "mode", s.Mode, "response (an answer ends the run) or task (a person reviews)")
		s.stopFlags(f)
	})
	inGroup(f, groupShow, func() {
		f.StringVar(&ask.schema, "schema", "",
			"form of the answer: a JSON Schema file, or fields such as 'name string, year int, tags []string'")
	})
	inGroup(f, groupModel, func() {
		f.StringVar(&s.System, "system", s.System, "text added to the system prompt")
		s.promptFlag(f)
	})
}

func (l *launcher) run(cmd *cobra.Command, at *serverConn, ask askFlags, args []string) error {
	ctx := cmd.Context()
	if err := l.set.ready(); err != nil {
		return err
	}
	if err := ask.check(); err != nil {
		return err
	}
	question, paths, err := l.question(cmd.Context(), ask.questionFile, args)
	if err != nil {
		return err
	}
	c, err := at.remote(ctx)
	if err != nil {
		return err
	}
	if len(paths) > 0 && ask.questionFile != "-" && !slices.Contains(paths, "-") {
		defer l.unread(ask.quiet, "to read it, add - to the paths")()
	}
	if c != nil {
		return l.runAt(cmd, c, ask, question, paths)
	}
	inputs, err := l.inputs(paths, ask.questionFile == "-")
	if err != nil {
		return err
	}
	if ask.dryRun {
		if ask.json || ask.events {
			return wrongUsage("--dry-run has no result to print as JSON: leave out --json and --events")
		}
		return l.dryRun(ctx, ask, question, inputs)
	}
	if len(inputs) == 0 {
		l.tell(ask.displayFlags, "no context: the question is asked without files (to name some: rlm run QUESTION PATH…)")
	}
	ask.consent = l.asker()
	r, err := l.runner(ctx, ask)
	if err != nil {
		return err
	}
	events := r.Run(ctx, question, inputs...)
	if ask.web {
		return l.runWeb(ctx, ask.displayFlags, events)
	}
	return l.follow(ctx, ask.displayFlags, events)
}

// question returns the question and the paths. The question is the content of the file, if one is given, otherwise
// the first argument. A path as the first argument is an error, because the run would cost money without a
// question.
func (std streams) question(
	ctx context.Context, file string, args []string,
) (question string, paths []string, err error) {
	switch {
	case file != "":
		if question, err = std.readText(ctx, file); err != nil {
			return "", nil, fmt.Errorf("reading the question: %w", err)
		}
		paths = args
	case len(args) == 0:
		return "", nil, wrongUsage("rlm run needs a question")
	case args[0] == "-":
		return "", nil, wrongUsage(
			"- names stdin as the context, but there is no question: rlm run QUESTION - (or -f - if stdin contains the question)")
	default:
		question, paths = args[0], args[1:]
		if _, err := os.Stat(question); err == nil && !strings.ContainsAny(question, " \t\n") {
			return "", nil, wrongUsage(
				"%s is a path, but there is no question: rlm run QUESTION %s (or -f %s if it contains the question)",
				question, question, question)
		}
		if isURL(question) && !strings.ContainsAny(question, " \t\n") {
			return "", nil, wrongUsage("the first argument is a URL, but there is no question: rlm run QUESTION URL")
		}
	}
	switch {
	case strings.TrimSpace(question) == "":
		return "", nil, wrongUsage("the question is empty")
	case !utf8.ValidString(question): // the terminal may use another encoding
		return "", nil, wrongUsage("the question is not UTF-8 text: save it as UTF-8 in a file, and name that with -f")
	}
	return strings.TrimRight(question, "\r\n"), paths, nil
}

// runner makes a runner for the settings and the flags.
func (l *launcher) runner(ctx context.Context, ask askFlags) (*runner.Runner, error) {
	opts, err := l.set.ending()
	if err != nil {
		return nil, err
	}
	m, err := l.models(ctx)
	if err != nil {
		return nil, err
	}
	l.tell(ask.displayFlags, m.note)
	l.tell(ask.displayFlags, l.set.unbounded(m.root, m.sub))
	form, err := ask.form(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := l.tools(ctx, true, ask.consent)
	if err != nil {
		return nil, err
	}
	return l.newRunner(m, append(append(append(opts, l.tellReading(ask.quiet)), form...), tools...)...)
}

// newRunner makes a runner for models, with the options of the settings and further ones.
func (l *launcher) newRunner(m models, more ...runner.Option) (*runner.Runner, error) {
	r, err := runner.New(m.root,
		append(append(l.options(), runner.WithSubModel(m.sub), runner.WithMetadata(placeOf(m.root))), more...)...)
	if err != nil {
		return nil, asUsage(err)
	}
	return r, nil
}

// form returns the option for the form of answers.
func (ask askFlags) form(ctx context.Context) ([]runner.Option, error) {
	text, err := ask.formText(ctx)
	if err != nil || text == "" {
		return nil, err
	}
	return []runner.Option{runner.WithSchema(text)}, nil
}

// formText returns the form of answers: the content of the file that --schema names, if it exists, otherwise the
// value of the flag.
func (ask askFlags) formText(ctx context.Context) (string, error) {
	if ask.schema == "" {
		return "", nil
	}
	text, err := input.Read(ctx, func() (string, error) { return readNamed(ask.schema) })
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(ask.schema, ".json"), !isPath(ask.schema):
		return ask.schema, nil
	}
	return "", fmt.Errorf("reading the schema: %w", err)
}

// isPath reports whether a text may be the name of a file: fields and JSON contain blanks or brackets.
func isPath(text string) bool { return !strings.ContainsAny(text, " \t\n{[") }

// runWeb shows a run in a browser, and here as it happens. If a server is started for this, it continues until
// Ctrl-C, so that people can read the run.
func (l *launcher) runWeb(ctx context.Context, how displayFlags, events iter.Seq2[trajectory.Event, error]) error {
	web, err := l.web(ctx)
	if err != nil {
		return err
	}
	opened := func(yield func(trajectory.Event, error) bool) {
		shown := false
		for ev, err := range events {
			if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" && !shown {
				id, _, _ := strings.Cut(d.Run, ".")
				web.open(id)
				shown = true
			}
			if !yield(ev, err) {
				return
			}
		}
	}
	err = l.follow(ctx, how, opened)
	return errors.Join(err, web.wait())
}

// resultJSON is the output of `rlm run --json`. Durations are in milliseconds, and costs in USD; an unknown cost is
// null.
type resultJSON struct {
	RunID    string  `json:"run_id"`
	Question string  `json:"question"`
	Answer   *string `json:"answer"` // null if there is none
	// The answer was given before any of the text was read.
	Guess bool `json:"guess,omitempty"`
	// Replies of sub-calls, and the last one of the model, that were cut, filtered, refused or otherwise incomplete.
	CutReplies int `json:"cut_replies,omitempty"`
	// The model's last reply, if there is no answer.
	Reply        string                      `json:"reply,omitempty"`
	AnswerFrom   string                      `json:"answer_from,omitempty"`
	Status       termination.Status          `json:"status"`
	FinishStatus answer.FinishStatus         `json:"finish_status,omitempty"`
	EndedBy      termination.Trigger         `json:"ended_by"` // final, signal, sequence, guard, limit, …
	Name         string                      `json:"name,omitempty"`
	Reason       string                      `json:"reason,omitempty"`
	ErrorKind    string                      `json:"error_kind,omitempty"`
	NeedsReview  bool                        `json:"requires_review"`
	ExitCode     int                         `json:"exit_code"`
	Turns        int                         `json:"turns"`
	Cells        []cellJSON                  `json:"cells"`
	SubCalls     int                         `json:"sub_calls"`
	Usage        map[string]trajectory.Usage `json:"usage"`
	Cost         *float64                    `json:"cost"`
	Unpriced     []string                    `json:"unpriced_models,omitempty"`
	Duration     int64                       `json:"duration_ms"`
	ModelTime    int64                       `json:"model_ms"`
	CellTime     int64                       `json:"cell_ms"`
	Sandbox      string                      `json:"sandbox"`
	Trajectory   string                      `json:"trajectory"`
	Warnings     []string                    `json:"warnings,omitempty"`
	Evidence     []trajectory.Evidence       `json:"evidence,omitempty"`
	UnknownMarks []string                    `json:"unknown_marks,omitempty"`
	Unverified   []string                    `json:"unverified,omitempty"`
	// What the answer lacks, with --require-evidence.
	Unsupported string                `json:"unsupported,omitempty"`
	Grounding   *trajectory.Grounding `json:"grounding,omitempty"` // evidence for the values of the answer
	Metadata    json.RawMessage       `json:"metadata,omitempty"`
}

func resultOf(r runner.Result) resultJSON {
	out := resultJSON{
		RunID: r.RunID, Question: r.Question, AnswerFrom: r.AnswerFrom, Guess: r.Guess, CutReplies: r.CutReplies,
		Reply: r.Reply, Status: r.Status, FinishStatus: r.FinishStatus,
		EndedBy: r.EndedBy, Name: r.Name, Reason: r.Reason, ErrorKind: r.ErrorKind, NeedsReview: r.NeedsReview,
		ExitCode: r.ExitCode(),
		Turns:    r.Turns, Cells: []cellJSON{}, SubCalls: r.SubCalls, Usage: r.Usage, Cost: r.Cost,
		Unpriced: r.Unpriced,
		Duration: ms(r.Duration), ModelTime: ms(r.ModelTime), CellTime: ms(r.CellTime),
		Sandbox: r.Sandbox, Trajectory: r.Trajectory, Warnings: r.Warnings, Metadata: r.Metadata,
		Evidence: r.Evidence, UnknownMarks: r.UnknownMarks, Unverified: r.Unverified, Unsupported: r.Unsupported,
		Grounding: r.Grounding,
	}
	if r.HasAnswer {
		out.Answer = &r.Answer
	}
	for _, c := range r.Cells {
		out.Cells = append(out.Cells, cellOf(c.Result, c.Output, c.Truncated))
	}
	return out
}

// cellJSON is a cell in the output of `rlm exec --json` and of `rlm run --json`.
type cellJSON struct {
	Cell      int                 `json:"cell"`
	OK        bool                `json:"ok"`
	Output    string              `json:"output"`
	Value     string              `json:"value"`
	Items     []bundle.Item       `json:"items,omitempty"` // items in output and value that have more forms than text
	Error     *repl.CellError     `json:"error,omitempty"`
	Final     *answer.FinalOutput `json:"final,omitempty"`
	Duration  int64               `json:"duration_ms"`
	Truncated int64               `json:"truncated_bytes"`
	Notes     []string            `json:"notes,omitempty"`
}

func cellOf(res repl.Result, output string, truncated int64) cellJSON {
	return cellJSON{
		Cell: res.Cell, OK: res.Error == nil, Output: output, Value: res.Value, Items: res.Items, Error: res.Error,
		Final:    res.Final,
		Duration: ms(res.Duration), Truncated: truncated, Notes: res.Notes,
	}
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
