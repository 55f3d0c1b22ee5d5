package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/data"
	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const evalMakeHelp = `Write the items of a suite as JSON Lines, in the format that --data reads:

  {"id": "…", "question": "…", "context": "…", "answer": "…", "scorer": "exact"}

A context is one text ("context"), several ("documents": [{"name": …, "text": …}]), or files next to the data ("paths": […]).

Scorers, and what they take as "answer":
  exact         a text or a list of texts: equal except for case, spaces and quotes
  contains      a list of texts: the share that occurs in the answer
  contains-any  a list of texts: 1 if one occurs
  number        a number: 0.75 to the power of the difference; {"value": 12.5, "within": 0.1}: 1 within that distance
  date          a date
  choice        a letter
  set           a list of texts: F1 over what the answer lists
  pairs         a list of pairs of numbers: F1
  fields        a JSON object: the share of its fields that the answer's object has
  oolong        {"answer": "['…']", "answer_type": "…"} as in OOLONG's data; scores as OOLONG's own program does
  oolong-lenient  the same data, by the lenient rule of RLM's training environment, which gives more points
  oolong-real   a text, a number or a list with commas; the answer is in \boxed{}, as in the other half of OOLONG
  ruler         a list of texts: the share that occurs, as RULER scores; ruler-qa: 1 if one occurs
  longbench-v2  a letter; the answer must say "The correct answer is (X)", as LongBench-v2 scores
  judge         a text or a list of texts; the model of --judge compares it with the answer, once in each order: 1 if both
                verdicts say that they agree, 0.5 if one does. Its prompt:

` + eval.JudgePrompt + `

  own           anything; --scorer FILE.go names a file with your own function, which runs sandboxed like cells:

                  func Score(question, answer string, right any) float64 {
                      return float64(strings.Count(answer, right.(string))) / 3
                  }

Items that name no scorer use that of --scorer (exact).`

// itemFlags are the flags that choose items, and the file and scorers of the chosen items.
type itemFlags struct {
	n       int
	lengths []string
	seed    uint64
	data    string
	where   string
	scorer  string

	named   func(flag string) bool // reports whether the command line has a flag
	convert func(ctx context.Context, path string, read func(*io.SectionReader) error) error

	file *data.File      // the file from which items are read; nil for suites
	code string          // the file of the user's own scorer
	used map[string]bool // the scorers that items of a file use
}

func (c *itemFlags) flags(f *pflag.FlagSet) {
	f.IntVar(&c.n, "n", 50, "items per suite and length; with --data: items in all, or per --length (default: all)")
	f.StringSliceVar(&c.lengths, "length", []string{"32k"},
		"context length in tokens: 8k, 256k, 1M, …; with --data: only items between half of it and all of it")
	f.Uint64Var(&c.seed, "seed", 1, "seed for generating items, or for choosing them from --data")
}

// names reports whether any item of the file uses the named scorer.
func (c *itemFlags) names(scorer string) bool { return c.used[scorer] }

// items returns the items chosen by the flags, and a name for the choice.
func (c *itemFlags) items(ctx context.Context, suites []string) (eval.Items, string, error) {
	if c.n < 1 {
		return eval.Items{}, "", wrongUsage("--n must be at least 1")
	}
	if c.data != "" {
		return c.fromFile(ctx, suites)
	}
	if len(suites) == 0 {
		return eval.Items{}, "", wrongUsage("name a suite ('rlm eval ls' lists them) or a file of your own (--data)")
	}
	if c.scorer != "" && c.scorer != "exact" {
		return eval.Items{}, "", wrongUsage("--scorer is for items of --data: suites have their own scorers")
	}
	if c.where != "" {
		return eval.Items{}, "", wrongUsage("--where is for items of --data, not for suites")
	}
	lengths, err := c.tokens()
	if err != nil {
		return eval.Items{}, "", err
	}
	type part struct {
		suite  suite.Suite
		length int
	}
	var parts []part
	for i, name := range suites {
		s, err := suite.Named(name)
		if err != nil {
			return eval.Items{}, "", wrongUsage("%w", nearSuite(err, name))
		}
		if slices.Contains(suites[:i], name) {
			return eval.Items{}, "", wrongUsage("the suite %s is named twice", name)
		}
		for _, n := range lengths {
			parts = append(parts, part{s, n})
		}
	}
	name := fmt.Sprintf("%s at %s, seed %d, %d each", strings.Join(suites, " "), strings.Join(c.lengths, " "), c.seed,
		c.n)
	return eval.Items{
		Len: len(parts) * c.n,
		At: func(i int) (suite.Item, error) {
			p := parts[i/c.n]
			return p.suite.Item(c.seed, p.length, i%c.n), nil
		},
		Length: func(i int) int { return parts[i/c.n].length },
	}, name, nil
}

// fromFile returns the items of --data.
func (c *itemFlags) fromFile(ctx context.Context, suites []string) (eval.Items, string, error) {
	if len(suites) > 0 {
		return eval.Items{}, "", wrongUsage(
			"--data replaces suites: leave out %s", strings.Join(suites, ", "))
	}
	usual := c.scorer
	if strings.HasSuffix(usual, ".go") {
		c.code, usual = usual, eval.OwnName
	} else if known := append(score.Names(), eval.JudgeName); !slices.Contains(known, usual) {
		return eval.Items{}, "", wrongUsage(
			"unknown scorer %q: use %s, or a Go file (FILE.go)", usual, strings.Join(known, ", "))
	}
	where, err := data.NewFilter(c.where)
	if err != nil {
		return eval.Items{}, "", wrongUsage("--where: %w", err)
	}
	o := data.Options{
		Scorer: usual, Apart: []string{eval.JudgeName, eval.OwnName}, Where: where, Seed: c.seed,
		Convert: c.convert,
	}
	if c.named("n") {
		o.N = c.n
	}
	if c.named("length") {
		if o.Lengths, err = c.tokens(); err != nil {
			return eval.Items{}, "", err
		}
	}
	if c.file, err = data.Open(ctx, c.data, o); err != nil {
		return eval.Items{}, "", wrongUsage("%w", err)
	}
	c.used = c.file.Scorers()
	if c.named("scorer") && !c.used[usual] {
		names := strings.Join(slices.Sorted(maps.Keys(c.used)), ", ")
		return eval.Items{}, "", wrongUsage(
			"--scorer %s has no effect here: all items name their own (%s)", c.scorer, names)
	}
	return eval.Items{Len: c.file.Len(), At: c.file.Item, Length: c.file.Tokens}, filepath.Base(c.data), nil
}

// tokens returns the lengths of --length.
func (c *itemFlags) tokens() ([]int, error) {
	var all []int
	for _, text := range c.lengths {
		n, err := tokenCount(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(all, n) {
			return nil, wrongUsage("--length names %s twice", text)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return nil, wrongUsage("--length names no length")
	}
	return all, nil
}

// close closes the file that items are read from.
func (c *itemFlags) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// nearSuite adds to an error the suite that was probably meant.
func nearSuite(err error, name string) error {
	var all []string
	for _, s := range suite.All() {
		all = append(all, s.Name)
	}
	if near := text.Closest(name, all); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
}

// tokenCount parses 8k, 256K, 1M or 20000.
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

func (std streams) evalListCommand() *cobra.Command {
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
				return std.out.JSON(out)
			}
			w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
			for _, s := range suite.All() {
				fmt.Fprintf(w, "%s\t%s\n", s.Name, s.About)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func (std streams) evalMakeCommand() *cobra.Command {
	var choice itemFlags
	var out string
	cmd := &cobra.Command{
		Use: "make SUITE…", Short: "Write the items of suites as JSON Lines", Long: evalMakeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			items, _, err := choice.items(cmd.Context(), args)
			if err != nil {
				return err
			}
			return std.writeItems(items, out)
		},
	}
	choice.flags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "output", "o", "-", "file to write, - for stdout")
	return cmd
}

// writeItems writes items to a file or to stdout.
func (std streams) writeItems(items eval.Items, to string) error {
	write := func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for i := range items.Len {
			item, err := items.At(i)
			if err == nil {
				err = enc.Encode(item)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := front.WriteTo(std.out, to, write); err != nil {
		return fmt.Errorf("writing the items: %w", err)
	}
	return nil
}

func (std streams) evalCompareCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "compare A B", Short: "Show what changed between the results of two evaluations, and whether it is more than noise",
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
				return std.out.JSON(c)
			}
			return c.Write(std.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
