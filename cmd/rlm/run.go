package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const runHelp = `Answer a question over files, folders and streams.

Paths are files, folders, patterns ('logs/**/*.log') or URLs (https://…); folders are walked, .gitignore is respected. Documents (PDF, Office,
HTML, mail, archives, Parquet, SQLite, …) are converted; what cannot be read is left out and listed. Standard input is read when "-" is named, or when no path is given and it is not a terminal.
With -f the question is read from a file, and all arguments are paths.
Passages that the answer's marks of evidence stand for are listed below it on a terminal, else on stderr.
The answer, and only it, goes to stdout (as Markdown where that is a terminal); progress goes to stderr.

Exit codes:
  0    answered (also when a limit ended the run but there is an answer: the status says which limit)
  1    failed
  2    wrong usage: a flag, an argument (also a file that is not there), the configuration, no model
  3    stopped by a limit without an answer
  4    the model endpoint failed
  130  interrupted; the trajectory is kept and 'rlm resume' goes on from there

Environment:
  OPENAI_API_KEY    key of OpenAI, or of the endpoint in OPENAI_BASE_URL (likewise ANTHROPIC_API_KEY, GEMINI_API_KEY,
                    OPENROUTER_API_KEY, AZURE_OPENAI_API_KEY with AZURE_OPENAI_ENDPOINT; 'rlm keys' stores keys)
  OPENAI_BASE_URL   endpoint, if it is not OpenAI's
  RLM_MODEL         model that answers
  RLM_SUB_MODEL     model for sub-calls
  RLM_DATA_DIR      where runs are kept (default: the platform's folder for data)
  OLLAMA_HOST       where a local Ollama is looked for when no key and no endpoint is set
  NO_COLOR          no colours

Flags win over the environment, which wins over the configuration file (see 'rlm config').`

// asking are the flags of a run that are not settings.
type asking struct {
	showing
	questionFile string
	schema       string
	dryRun, web  bool
	consent      func(context.Context, mcp.Question) (mcp.Consent, error) // nil: nobody is there to ask
}

func (a *app) runCommand() *cobra.Command {
	var ask asking
	cmd := &cobra.Command{
		Use:     "run [flags] QUESTION [PATH…]",
		Short:   "Answer a question over files, folders, web pages or stdin",
		Long:    runHelp,
		Example: "  rlm run \"Which outages had the same cause?\" logs/ notes.md\n  journalctl | rlm run \"What failed last night?\" -",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.run(cmd, ask, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&ask.questionFile, "question-file", "f", "", "read the question from this file, - for stdin")
	f.BoolVar(&ask.dryRun, "dry-run", false, "print the first prompt, its tokens and the price of the worst case; call no model")
	f.BoolVar(&ask.web, "web", false, "open the run in a browser as well: in the server that runs ('rlm serve'), or in one of its own until Ctrl-C")
	ask.flags(f)
	a.modelFlags(f)
	a.policyFlags(f, &ask)
	a.budgetFlags(f)
	a.cellFlags(f)
	a.mcpFlags(f)
	return cmd
}

// policyFlags are those that decide when a run stops.
func (a *app) policyFlags(f *pflag.FlagSet, ask *asking) {
	inGroup(f, groupStop, func() {
		f.StringVar(&a.set.Mode, "mode", a.set.Mode, "response (an answer ends the run) or task (a person reviews)")
		a.set.stopFlags(f)
	})
	inGroup(f, groupShow, func() {
		f.StringVar(&ask.schema, "schema", "", "form of the answer: a file of JSON Schema, or fields such as 'name string, year int, tags []string'")
	})
	inGroup(f, groupModel, func() {
		f.StringVar(&a.set.System, "system", a.set.System, "text added to the system prompt")
		a.promptFlag(f)
	})
}

func (a *app) run(cmd *cobra.Command, ask asking, args []string) error {
	ctx := cmd.Context()
	if err := a.ready(cmd); err != nil {
		return err
	}
	if err := ask.check(); err != nil {
		return err
	}
	question, paths, err := a.question(cmd.Context(), ask.questionFile, args)
	if err != nil {
		return err
	}
	c, err := a.remote(ctx)
	if err != nil {
		return err
	}
	if c != nil {
		return a.runAt(cmd, c, ask, question, paths)
	}
	inputs, err := a.inputs(paths, ask.questionFile == "-")
	if err != nil {
		return err
	}
	if ask.dryRun {
		if ask.json || ask.events {
			return wrongUsage("--dry-run has no result to print as JSON: leave --json and --events out")
		}
		return a.dryRun(ctx, ask, question, inputs)
	}
	ask.consent = a.asker()
	r, err := a.runner(ctx, ask)
	if err != nil {
		return err
	}
	events := r.Run(ctx, question, inputs...)
	if ask.web {
		return a.runWeb(ctx, ask.showing, events)
	}
	return a.follow(ctx, ask.showing, events)
}

// question is the first argument, or what a file holds; the rest are paths. A path in the place of the question is refused: the run
// would be paid for without being asked anything.
func (a *app) question(ctx context.Context, file string, args []string) (question string, paths []string, err error) {
	switch {
	case file == "-":
		data, err := typed.Read(ctx, func() ([]byte, error) { return io.ReadAll(a.in) })
		if err != nil {
			return "", nil, fmt.Errorf("reading the question: %w", err)
		}
		question, paths = string(data), args
	case file != "":
		data, err := readNamed(file)
		if err != nil {
			return "", nil, fmt.Errorf("reading the question: %w", err)
		}
		question, paths = string(data), args
	case len(args) == 0:
		return "", nil, wrongUsage("rlm run needs a question")
	case args[0] == "-":
		return "", nil, wrongUsage("- names stdin as the context, and there is no question: rlm run QUESTION - (or -f - if stdin holds the question)")
	default:
		question, paths = args[0], args[1:]
		if _, err := os.Stat(question); err == nil && !strings.ContainsAny(question, " \t\n") {
			return "", nil, wrongUsage("%s is a path, and there is no question: rlm run QUESTION %s (or -f %s if it holds the question)", question, question, question)
		}
		if isURL(question) && !strings.ContainsAny(question, " \t\n") {
			return "", nil, wrongUsage("the first argument is a URL, and there is no question: rlm run QUESTION URL")
		}
	}
	if strings.TrimSpace(question) == "" {
		return "", nil, wrongUsage("the question is empty")
	}
	return strings.TrimRight(question, "\r\n"), paths, nil
}

// runner makes the runner that settings and flags describe.
func (a *app) runner(ctx context.Context, ask asking) (*runner.Runner, error) {
	opts, err := a.set.ending()
	if err != nil {
		return nil, err
	}
	m, err := a.models(ctx)
	if err != nil {
		return nil, err
	}
	a.tell(ask.showing, m.note)
	form, err := ask.form()
	if err != nil {
		return nil, err
	}
	tools, err := a.tools(ctx, true, ask.consent)
	if err != nil {
		return nil, err
	}
	return a.newRunner(m, append(append(append(opts, a.tellReading(ask.quiet)), form...), tools...)...)
}

// newRunner makes a runner of models with the settings and more options.
func (a *app) newRunner(m models, more ...runner.Option) (*runner.Runner, error) {
	r, err := runner.New(m.root, append(append(a.options(), runner.WithSubModel(m.sub), runner.WithMetadata(placeOf(m.root))), more...)...)
	if err != nil {
		return nil, &exit{termination.ExitUsage, err}
	}
	return r, nil
}

// form is the option for the form of the answer.
func (ask asking) form() ([]runner.Option, error) {
	text, err := ask.formText()
	if err != nil || text == "" {
		return nil, err
	}
	return []runner.Option{runner.WithSchema(text)}, nil
}

// formText is the form of the answer. A schema is a file if there is one of that name, and stands for itself otherwise.
func (ask asking) formText() (string, error) {
	if ask.schema == "" {
		return "", nil
	}
	data, err := os.ReadFile(ask.schema)
	switch {
	case err == nil:
		return string(data), nil
	case errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(ask.schema, ".json"), !isPath(ask.schema):
		return ask.schema, nil
	}
	return "", wrongUsage("reading the schema: %w", err)
}

// isPath reports whether a text could be the name of a file: fields and JSON are long and have blanks.
func isPath(text string) bool { return !strings.ContainsAny(text, " \t\n{[") }
