package chat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

func (c *core) model(_ context.Context, name string, out sink) error {
	s := c.current()
	if name == "" {
		if err := c.modelMissing(); err != nil {
			return err
		}
		out.show("model " + s.Model().Name())
		return nil
	}
	return c.setModel(name, "model", runner.WithModel, out)
}

func (c *core) setSubModel(_ context.Context, name string, out sink) error {
	if name == "" {
		out.show("sub-model " + c.current().SubModel().Name())
		return nil
	}
	return c.setModel(name, "sub-model", runner.WithSubModel, out)
}

func (c *core) setModel(name, what string, with func(llm.Model) runner.Option, out sink) error {
	if c.opt.Model == nil {
		return errors.New("the model cannot be changed here")
	}
	m, err := c.opt.Model(name)
	if err != nil {
		return err
	}
	opts := []runner.Option{with(m)}
	if c.modelMissing() != nil { // until now there was nobody to ask: this one answers everything
		opts = []runner.Option{runner.WithModel(m), runner.WithSubModel(m)}
	}
	if err := c.current().Set(opts...); err != nil {
		return err
	}
	c.mu.Lock()
	c.noModel = nil
	c.mu.Unlock()
	out.show(what + " " + m.Name() + " from the next question on")
	return nil
}

func (c *core) setMode(_ context.Context, args string, out sink) error {
	mode := termination.Mode(args)
	switch mode {
	case "":
		out.show("mode " + string(c.modeNow()))
		return nil
	case termination.Response, termination.Task:
	default:
		return fmt.Errorf("the modes are %s and %s", termination.Response, termination.Task)
	}
	if err := c.current().Set(runner.WithMode(mode)); err != nil {
		return err
	}
	out.show("mode " + args + " from the next question on")
	return nil
}

// engine shows or changes what runs the cells.
func (c *core) engine(_ context.Context, args string, out sink) error {
	s := c.current()
	now, err := s.Engine()
	if err != nil {
		return err
	}
	asked := repl.Engine(args)
	switch asked {
	case "":
		out.show("engine " + string(now))
		return nil
	case sandbox.Auto, repl.Yaegi, repl.Exact:
	default:
		return fmt.Errorf("the engines are %s and %s, and %s, which begins in %s and moves when a cell needs it", repl.Yaegi, repl.Exact, sandbox.Auto, repl.Yaegi)
	}
	if now == repl.Exact && asked != repl.Exact {
		return fmt.Errorf("this notebook is in the %s engine and stays there: rlm chat --engine %s begins another one", repl.Exact, asked)
	}
	if err := s.Set(runner.WithEngine(asked)); err != nil {
		return err
	}
	text := "engine " + args + " from the next cell on"
	if asked != now && asked == repl.Exact {
		text += ": the cells so far run again there, with their recorded replies"
	}
	out.show(text)
	return nil
}

// budgets are what one question may use, in the order in which they are listed.
var budgets = []string{"cost", "tokens", "time", "sub-calls", "iterations", "depth"}

// budget shows or changes what one question may use.
func (c *core) budget(_ context.Context, args string, out sink) error {
	s := c.current()
	b := s.Budgets()
	if args != "" {
		what, value, _ := strings.Cut(args, " ")
		if err := setBudget(&b, what, strings.TrimSpace(value)); err != nil {
			return err
		}
		if err := s.Set(runner.WithBudgets(lifted(b))); err != nil {
			return err
		}
		b = s.Budgets()
		out.show("each question from now on may use\n" + c.table([][2]string{{what, boundText(b, what)}}))
		return nil
	}
	out.show(c.budgetText(b))
	return nil
}

// budgetText lists what one question may use.
func (b *board) budgetText(may runner.Budgets) string {
	rows := make([][2]string, len(budgets))
	for i, what := range budgets {
		rows[i] = [2]string{what, boundText(may, what)}
	}
	return "each question may use\n" + b.table(rows) + "\n/budget cost 2.50 changes one, 0 lifts it"
}

// lifted says "no bound" as options do, to which 0 is the default.
func lifted(b runner.Budgets) runner.Budgets {
	lift(&b.Cost)
	lift(&b.Tokens)
	lift(&b.Time)
	lift(&b.SubCalls)
	lift(&b.Iterations)
	lift(&b.Depth)
	lift(&b.Errors)
	return b
}

func lift[N int | int64 | float64 | time.Duration](v *N) {
	if *v == 0 {
		*v = -1
	}
}

func boundText(b runner.Budgets, what string) string {
	switch what {
	case "cost":
		return atMost(b.Cost, quantity.Dollars)
	case "tokens":
		return atMost(b.Tokens, quantity.Count)
	case "time":
		return atMost(b.Time, time.Duration.String)
	case "sub-calls":
		return atMost(b.SubCalls, quantity.Count)
	case "iterations":
		return atMost(b.Iterations, strconv.Itoa)
	default:
		return atMost(b.Depth, strconv.Itoa)
	}
}

func setBudget(b *runner.Budgets, what, value string) (err error) {
	switch what {
	case "cost":
		b.Cost, err = strconv.ParseFloat(strings.TrimPrefix(value, "$"), 64)
		if math.IsNaN(b.Cost) || math.IsInf(b.Cost, 0) || b.Cost < 0 {
			err = errors.New("no amount")
		}
	case "tokens":
		b.Tokens, err = parseCount[int64](value)
	case "time":
		b.Time, err = time.ParseDuration(value)
		if value == "0" || b.Time < 0 {
			b.Time = 0
		}
	case "sub-calls":
		b.SubCalls, err = parseCount[int64](value)
	case "iterations":
		b.Iterations, err = parseCount[int](value)
	case "depth":
		b.Depth, err = parseCount[int](value)
	default:
		return fmt.Errorf("there is no budget %q; the budgets are %s", what, strings.Join(budgets, ", "))
	}
	if err != nil {
		return fmt.Errorf("%q is no value for %s: /budget cost 2.50, /budget time 10m, /budget tokens 200000", value, what)
	}
	return nil
}

func parseCount[N int | int64](value string) (N, error) {
	n, err := strconv.ParseUint(value, 10, strconv.IntSize-1)
	return N(n), err
}

func atMost[N int | int64 | float64 | time.Duration](v N, text func(N) string) string {
	if v <= 0 {
		return "any amount"
	}
	return text(v) + " at most"
}
