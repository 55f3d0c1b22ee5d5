package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/data"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const evalHelp = `Measure how well questions over long texts are answered, and at what price: by the notebook (rlm), by putting the text into the prompt
(direct), by the passages that match the question best (rag), or from notes on all parts (summary). All arms answer the same items in
the same order, with the same model, temperature and limit of a reply; a failure counts as 0 and is listed.

Items come from suites ('rlm eval ls'), which make them from a seed at any length with answers that are right by construction, or from a file of your
own (--data; see 'rlm eval make --help' for its form; files of OOLONG, LongBench-v2 and RULER are read as they are).

Results are kept as they come. The same command goes on where it was interrupted and pays for nothing twice.`

const evalMakeHelp = `Write the items of a suite as JSON Lines, in the form that --data reads:

  {"id": "…", "question": "…", "context": "…", "answer": "…", "scorer": "exact"}

A context is one text ("context"), several ("documents": [{"name": …, "text": …}]), or files beside the data ("paths": […]).

Scorers, and what they take as "answer":
  exact         a text or a list of texts: equal but for case, spaces, quotes
  contains      a list of texts: the share that occurs in the answer
  contains-any  a list of texts: 1 if one occurs
  number        a number: 0.75 to the power of the difference; {"value": 12.5, "within": 0.1}: 1 within that distance
  date          a date
  choice        a letter
  set           a list of texts: F1 over what the answer lists
  pairs         a list of pairs of numbers: F1
  fields        a JSON object: the share of its fields that the answer's object has
  oolong        {"answer": "['…']", "answer_type": "…"} as in OOLONG's data`

// evaluating are the flags of an evaluation.
type evaluating struct {
	n        int
	lengths  []string
	seed     uint64
	arms     []string
	data     string
	results  string
	out      string
	parallel int
	asJSON   bool
	quiet    bool
}

func (a *app) evalCommand() *cobra.Command {
	var ev evaluating
	cmd := &cobra.Command{
		Use: "eval [flags] [SUITE…]", Short: "Measure answers over long texts: score and price, against a plain call",
		Long:    evalHelp,
		Example: "  rlm eval s-niah oolong --n 50 --length 32k,256k --arms rlm,direct -o report.html\n  rlm eval --data questions.jsonl --arms rlm,rag",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.eval(cmd, ev, args) },
	}
	f := cmd.Flags()
	ev.itemFlags(f)
	f.StringSliceVar(&ev.arms, "arms", []string{"rlm", "direct"}, "ways to answer: rlm, direct, rag, summary; others are compared with the first")
	f.StringVar(&ev.data, "data", "", "a file of items, instead of suites")
	f.StringVar(&ev.results, "results", "", "the file that keeps the results (default: below the data folder, one for each choice of items)")
	f.StringVarP(&ev.out, "output", "o", "", "write the report as one HTML page")
	f.IntVar(&ev.parallel, "parallel", 4, "answers that are made at once")
	f.BoolVar(&ev.asJSON, "json", false, "print the report as JSON")
	f.BoolVarP(&ev.quiet, "quiet", "q", false, "no progress on stderr")
	a.modelFlags(f)
	inGroup(f, groupStop, func() { a.set.stopFlags(f) })
	inGroup(f, groupModel, func() {
		f.StringVar(&a.set.System, "system", a.set.System, "text added to the system prompt of the rlm arm")
	})
	a.budgetFlags(f)
	cmd.AddCommand(a.evalListCommand(), a.evalMakeCommand(), a.evalCompareCommand())
	return cmd
}

func (ev *evaluating) itemFlags(f *pflag.FlagSet) {
	f.IntVar(&ev.n, "n", 50, "items of each suite and length")
	f.StringSliceVar(&ev.lengths, "length", []string{"32k"}, "tokens of a context: 8k, 256k, 1M, …")
	f.Uint64Var(&ev.seed, "seed", 1, "what the items are made from")
}

// chosen are the items that the flags name, and a name for the choice.
func (ev evaluating) chosen(suites []string) (eval.Items, string, error) {
	if ev.data != "" {
		if len(suites) > 0 {
			return eval.Items{}, "", wrongUsage("--data takes the place of suites: leave %s out", strings.Join(suites, ", "))
		}
		list, err := data.Read(ev.data)
		if err != nil {
			return eval.Items{}, "", wrongUsage("%w", err)
		}
		return eval.Items{Len: len(list), At: func(i int) suite.Item { return list[i] }}, filepath.Base(ev.data), nil
	}
	if len(suites) == 0 {
		return eval.Items{}, "", wrongUsage("name a suite ('rlm eval ls' lists them) or a file of your own (--data)")
	}
	if ev.n < 1 {
		return eval.Items{}, "", wrongUsage("--n is the number of items, at least 1")
	}
	type part struct {
		suite  suite.Suite
		length int
	}
	var parts []part
	for _, name := range suites {
		s, err := suite.Named(name)
		if err != nil {
			return eval.Items{}, "", wrongUsage("%w", err)
		}
		for _, text := range ev.lengths {
			n, err := tokenCount(text)
			if err != nil {
				return eval.Items{}, "", err
			}
			parts = append(parts, part{s, n})
		}
	}
	name := fmt.Sprintf("%s at %s, seed %d, %d each", strings.Join(suites, " "), strings.Join(ev.lengths, " "), ev.seed, ev.n)
	return eval.Items{Len: len(parts) * ev.n, At: func(i int) suite.Item {
		p := parts[i/ev.n]
		return p.suite.Item(ev.seed, p.length, i%ev.n)
	}}, name, nil
}

// tokenCount reads 8k, 256K, 1M or 20000.
func tokenCount(text string) (int, error) {
	times := 1
	number := strings.ToLower(strings.TrimSpace(text))
	if bare, ok := strings.CutSuffix(number, "k"); ok {
		number, times = bare, 1000
	} else if bare, ok := strings.CutSuffix(number, "m"); ok {
		number, times = bare, 1_000_000
	}
	f, err := strconv.ParseFloat(number, 64)
	n := int(f * float64(times))
	if err != nil || n < suite.Shortest || n > 16_000_000 {
		return 0, wrongUsage("--length %s: give tokens from 1k to 16M, such as 32k or 1M", text)
	}
	return n, nil
}

func (a *app) eval(cmd *cobra.Command, ev evaluating, args []string) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	items, name, err := ev.chosen(args)
	if err != nil {
		return err
	}
	arms, err := a.arms(cmd.Context(), ev)
	if err != nil {
		return err
	}
	if ev.results == "" {
		if ev.results, err = resultsFile(name); err != nil {
			return err
		}
	}
	e := eval.Evaluation{Items: items, Arms: arms, Results: ev.results, Parallel: ev.parallel}
	if !ev.quiet {
		e.Progress = func(done, of int, r eval.Result) {
			fmt.Fprintf(a.err, "%d of %d: %s %s %.2f (%s)\n", done, of, r.Arm, r.Item, r.Score.Value, r.Status)
		}
	}
	results, err := e.Run(cmd.Context())
	if err != nil {
		if cmd.Context().Err() != nil {
			fmt.Fprintf(a.err, "the results so far are in %s; the same command goes on from there\n", ev.results)
		}
		return err
	}
	return a.evalReport(ev, name, eval.NewReport(results, ev.seed))
}

// evalReport shows a report in the ways that were asked for.
func (a *app) evalReport(ev evaluating, name string, rep eval.Report) error {
	if ev.out != "" {
		f, err := os.Create(ev.out)
		if err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		link := func(run string) string {
			if dir, err := trajectory.DataDir(); err == nil {
				return "file://" + filepath.ToSlash(filepath.Join(dir, "rlm", "runs", run))
			}
			return ""
		}
		if err := errors.Join(rep.WriteHTML(f, "rlm eval: "+name, link), f.Close()); err != nil {
			return err
		}
	}
	if ev.asJSON {
		return a.printJSON(rep)
	}
	if err := rep.Write(a.out); err != nil {
		return err
	}
	if !ev.quiet {
		fmt.Fprintf(a.err, "the results are in %s\n", ev.results)
	}
	return nil
}

// resultsFile is where the results of a choice of items are kept.
func resultsFile(name string) (string, error) {
	dir, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "rlm", "evals")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the results: %w", err)
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])+".jsonl"), nil
}

// arms are the ways to answer that were asked for.
func (a *app) arms(ctx context.Context, ev evaluating) ([]eval.Arm, error) {
	known := []string{"rlm", "direct", "rag", "summary"}
	for i, name := range ev.arms {
		if !slices.Contains(known, name) {
			return nil, wrongUsage("there is no arm %q: use %s", name, strings.Join(known, ", "))
		}
		if slices.Contains(ev.arms[:i], name) {
			return nil, wrongUsage("the arm %s is named twice", name)
		}
	}
	if len(ev.arms) == 0 {
		return nil, wrongUsage("--arms names no arm")
	}
	policy, err := a.set.stopPolicy()
	if err != nil {
		return nil, err
	}
	m, err := a.models(ctx)
	if err != nil {
		return nil, err
	}
	if m.note != "" && !ev.quiet {
		fmt.Fprintln(a.err, m.note)
	}
	window := a.set.Window
	if window == 0 {
		var ok bool
		if window, ok = llm.Window(m.root.Name()); !ok {
			window = 128_000
		}
	}
	plain := eval.Plain{
		Model: m.root, Call: eval.CallSettings{Temperature: a.set.Temperature, MaxTokens: a.set.MaxOutputTokens},
		Prices: llm.KnownPrices().With(a.set.Prices), Window: int(window),
	}
	var arms []eval.Arm
	for _, name := range ev.arms {
		switch name {
		case "rlm":
			r, err := runner.New(m.root, append(a.set.options(), runner.WithSubModel(m.sub), runner.WithPolicy(policy), runner.WithMetadata(placeOf(m.root)))...)
			if err != nil {
				return nil, wrongUsage("%w", err)
			}
			settings := fmt.Sprintf("%s, sub-calls %s, %+v, system %q, %s", m.root.Name(), m.sub.Name(), a.set.budgets(), a.set.System, a.set.callNumbers())
			arms = append(arms, eval.RLM(name, settings, r))
		case "direct":
			arms = append(arms, eval.Direct(plain))
		case "rag":
			arms = append(arms, eval.RAG(plain))
		case "summary":
			arms = append(arms, eval.Summary(plain))
		}
	}
	return arms, nil
}

// callNumbers are what is sent with each call, for the settings of an arm.
func (s settings) callNumbers() string {
	temperature := "default"
	if s.Temperature != nil {
		temperature = fmt.Sprint(*s.Temperature)
	}
	return fmt.Sprintf("temperature %s, reply %d, reasoning %s", temperature, s.MaxOutputTokens, s.ReasoningEffort)
}

func (a *app) evalListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the suites", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				type row struct {
					Name  string `json:"name"`
					About string `json:"about"`
				}
				var out []row
				for _, s := range suite.All() {
					out = append(out, row{s.Name, s.About})
				}
				return a.printJSON(out)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, s := range suite.All() {
				fmt.Fprintf(w, "%s\t%s\n", s.Name, s.About)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func (a *app) evalMakeCommand() *cobra.Command {
	var ev evaluating
	cmd := &cobra.Command{
		Use: "make SUITE…", Short: "Write the items of suites as JSON Lines", Long: evalMakeHelp,
		RunE: func(_ *cobra.Command, args []string) error {
			items, _, err := ev.chosen(args)
			if err != nil {
				return err
			}
			return a.writeItems(items, ev.out)
		},
	}
	ev.itemFlags(cmd.Flags())
	cmd.Flags().StringVarP(&ev.out, "output", "o", "", "the file to write (default: stdout)")
	return cmd
}

func (a *app) evalCompareCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "compare A B", Short: "Say what changed from one evaluation's results to another's, and whether it is more than noise",
		Args: exactly(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var of [2][]eval.Result
			for i, path := range args {
				list, err := eval.ReadResults(path)
				if err != nil {
					return wrongUsage("%w", err)
				}
				of[i] = list
			}
			c, err := eval.Compare(of[0], of[1], 1)
			if err != nil {
				return wrongUsage("%w", err)
			}
			if asJSON {
				return a.printJSON(c)
			}
			return c.Write(a.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// writeItems writes items to a file or to stdout.
func (a *app) writeItems(items eval.Items, to string) error {
	write := func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for i := range items.Len {
			if err := enc.Encode(items.At(i)); err != nil {
				return fmt.Errorf("writing the items: %w", err)
			}
		}
		return nil
	}
	if to == "" {
		return write(a.out)
	}
	f, err := os.Create(to)
	if err != nil {
		return fmt.Errorf("writing the items: %w", err)
	}
	return errors.Join(write(f), f.Close())
}
