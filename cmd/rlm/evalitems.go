package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gorlm/rlm/cmd/rlm/internal/outfile"
	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/data"
	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/spell"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
  oolong        {"answer": "['…']", "answer_type": "…"} as in OOLONG's data
  judge         a text or a list of texts; the model of --judge compares the answer with it, once in each order: 1 if both say the
                same, 0.5 if one does. It is told:

` + eval.JudgePrompt + `

  own           anything; the file of --scorer FILE.go has a function of yours, which runs locked in as cells do:

                  func Score(question, answer string, right any) float64 {
                      return float64(strings.Count(answer, right.(string))) / 3
                  }

Items that name no scorer have the one of --scorer (exact).`

// choosing are the flags that say which items are answered, and what was found out about them.
type choosing struct {
	n       int
	lengths []string
	seed    uint64
	data    string
	scorer  string

	code string          // the file of the user's own scorer
	used map[string]bool // the scorers of all items of a file
}

func (c *choosing) flags(f *pflag.FlagSet) {
	f.IntVar(&c.n, "n", 50, "items of each suite and length")
	f.StringSliceVar(&c.lengths, "length", []string{"32k"}, "tokens of a context: 8k, 256k, 1M, …")
	f.Uint64Var(&c.seed, "seed", 1, "what the items are made from")
}

// names says whether an item is scored by a scorer.
func (c *choosing) names(scorer string) bool { return c.used[scorer] }

// items are those that the flags name, and a name for the choice.
func (c *choosing) items(suites []string) (eval.Items, string, error) {
	if c.data != "" {
		return c.fromFile(suites)
	}
	if len(suites) == 0 {
		return eval.Items{}, "", wrongUsage("name a suite ('rlm eval ls' lists them) or a file of your own (--data)")
	}
	if c.scorer != "" && c.scorer != "exact" {
		return eval.Items{}, "", wrongUsage("--scorer is for items of --data: suites have their scorers")
	}
	if c.n < 1 {
		return eval.Items{}, "", wrongUsage("--n is the number of items, at least 1")
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
		var seen []int
		for _, text := range c.lengths {
			n, err := tokenCount(text)
			if err != nil {
				return eval.Items{}, "", err
			}
			if slices.Contains(seen, n) {
				return eval.Items{}, "", wrongUsage("--length names %s twice", text)
			}
			seen = append(seen, n)
			parts = append(parts, part{s, n})
		}
	}
	if len(parts) == 0 {
		return eval.Items{}, "", wrongUsage("--length names no length")
	}
	name := fmt.Sprintf("%s at %s, seed %d, %d each", strings.Join(suites, " "), strings.Join(c.lengths, " "), c.seed, c.n)
	return eval.Items{
		Len: len(parts) * c.n,
		At: func(i int) suite.Item {
			p := parts[i/c.n]
			return p.suite.Item(c.seed, p.length, i%c.n)
		},
		Length: func(i int) int { return parts[i/c.n].length },
	}, name, nil
}

// fromFile are the items of --data.
func (c *choosing) fromFile(suites []string) (eval.Items, string, error) {
	if len(suites) > 0 {
		return eval.Items{}, "", wrongUsage("--data takes the place of suites: leave %s out", strings.Join(suites, ", "))
	}
	usual := c.scorer
	if strings.HasSuffix(usual, ".go") {
		c.code, usual = usual, eval.OwnName
	} else if known := append(score.Names(), eval.JudgeName); !slices.Contains(known, usual) {
		return eval.Items{}, "", wrongUsage("there is no scorer %q: use %s, or a file of Go (FILE.go)", usual, strings.Join(known, ", "))
	}
	list, err := data.Read(c.data, usual, eval.JudgeName, eval.OwnName)
	if err != nil {
		return eval.Items{}, "", wrongUsage("%w", err)
	}
	c.used = map[string]bool{}
	for _, item := range list {
		c.used[item.Scorer] = true
	}
	return eval.Items{
		Len: len(list), At: func(i int) suite.Item { return list[i] }, Length: func(i int) int { return list[i].Length },
	}, filepath.Base(c.data), nil
}

// nearSuite adds to an error the suite that was probably meant.
func nearSuite(err error, name string) error {
	var all []string
	for _, s := range suite.All() {
		all = append(all, s.Name)
	}
	if near := spell.Closest(name, all); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
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
	var choice choosing
	var out string
	cmd := &cobra.Command{
		Use: "make SUITE…", Short: "Write the items of suites as JSON Lines", Long: evalMakeHelp,
		RunE: func(_ *cobra.Command, args []string) error {
			items, _, err := choice.items(args)
			if err != nil {
				return err
			}
			return a.writeItems(items, out)
		},
	}
	choice.flags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "output", "o", "-", "the file to write, - for stdout")
	return cmd
}

// writeItems writes items to a file or to stdout.
func (a *app) writeItems(items eval.Items, to string) error {
	write := func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for i := range items.Len {
			if err := enc.Encode(items.At(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := a.writeTo(to, write); err != nil {
		return fmt.Errorf("writing the items: %w", err)
	}
	return nil
}

// writeTo writes to stdout where the path is -, else a file that is there whole or not at all. A path at which there can be no file is
// wrong usage.
func (a *app) writeTo(path string, write func(io.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriter(a.out)
		return errors.Join(write(w), w.Flush())
	}
	err := outfile.Write(path, write)
	if place := (*outfile.PlaceError)(nil); errors.As(err, &place) {
		return wrongUsage("%w", err)
	}
	return err
}
