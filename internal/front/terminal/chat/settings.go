package chat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

func (t *terminal) model(ctx context.Context, name string, out sink) error {
	now := t.look()
	switch {
	case name != "":
		settings, err := t.set(ctx, session.SetRequest{Choice: session.Choice{Model: name}})
		if err == nil {
			out.show("model " + screen.Line(settings.Model) + " from the next question on")
		}
		return err
	case now.noModel != "":
		return errors.New(now.noModel)
	}
	out.show("model " + screen.Line(now.model))
	return nil
}

func (t *terminal) subModel(ctx context.Context, name string, out sink) error {
	if name == "" {
		settings, err := do[session.Settings](ctx, t, "settings", nil)
		if err == nil {
			out.show("sub-model " + screen.Line(settings.SubModel))
		}
		return err
	}
	settings, err := t.set(ctx, session.SetRequest{Choice: session.Choice{SubModel: name}})
	if err == nil {
		out.show("sub-model " + screen.Line(settings.SubModel) + " from the next question on")
	}
	return err
}

// set changes the settings for later questions, once the session is free.
func (t *terminal) set(ctx context.Context, in session.SetRequest) (out session.Settings, err error) {
	err = t.short(ctx, func() error {
		out, err = do[session.Settings](ctx, t, "set", in)
		return err
	})
	if err == nil {
		t.refresh(ctx)
	}
	return out, err
}

// short runs a short command that changes the session, once the session is free.
func (t *terminal) short(ctx context.Context, do func() error) error {
	for {
		seen, err := t.free(ctx)
		at := t.here()
		if err == nil {
			err = do()
		}
		if !at.waits(err) {
			return err
		}
		if _, err := t.next(ctx, seen, askAgain); err != nil {
			return err
		}
	}
}

func (t *terminal) setMode(ctx context.Context, mode string, out sink) error {
	switch mode {
	case "":
		out.show("mode " + string(t.look().mode))
		return nil
	case string(termination.Response), string(termination.Task):
	default:
		return fmt.Errorf("the modes are %s and %s", termination.Response, termination.Task)
	}
	_, err := t.set(ctx, session.SetRequest{Choice: session.Choice{Mode: mode}})
	if err == nil {
		out.show("mode " + mode + " from the next question on")
	}
	return err
}

// engine shows or changes the engine that runs the cells.
func (t *terminal) engine(ctx context.Context, args string, out sink) error {
	settings, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		return err
	}
	const exact = "exact"
	now := settings.Engine
	switch {
	case args == "":
		out.show("engine " + now)
		return nil
	case slices.Contains([]string{"auto", "yaegi"}, args) && now == exact:
		return fmt.Errorf("this notebook uses the exact engine and cannot switch back: rlm chat --engine %s starts a new one", args)
	}
	if _, err := t.set(ctx, session.SetRequest{Engine: args}); err != nil {
		return err
	}
	text := "engine " + args + " from the next cell on"
	if now != exact && args == exact {
		text += ": earlier cells run again there, with their recorded replies"
	}
	out.show(text)
	return nil
}

// budgets are the budgets of a question, in the order in which they are listed.
var budgets = []string{"cost", "tokens", "time", "sub-calls", "iterations", "depth"}

// budget shows or changes the budgets of a question.
func (t *terminal) budget(ctx context.Context, args string, out sink) error {
	settings, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		return err
	}
	b := settings.Budgets
	if args == "" {
		out.show(t.budgetText(b))
		return nil
	}
	what, value, _ := strings.Cut(args, " ")
	if err := setBudget(&b, what, strings.TrimSpace(value)); err != nil {
		return err
	}
	b = b.Unbounded()
	if settings, err = t.set(ctx, session.SetRequest{Choice: session.Choice{Budgets: &b}}); err == nil {
		out.show("each question from now on may use\n" +
			t.table([][2]string{{what, boundText(settings.Budgets, what)}}))
	}
	return err
}

// budgetText lists the budgets of a question.
func (b *console) budgetText(may runner.Budgets) string {
	rows := make([][2]string, len(budgets))
	for i, what := range budgets {
		rows[i] = [2]string{what, boundText(may, what)}
	}
	return "each question may use\n" + b.table(rows) + "\n/budget cost 2.50 changes one, 0 removes it"
}

func boundText(b runner.Budgets, what string) string {
	switch what {
	case "cost":
		return atMost(b.Cost, units.Dollars)
	case "tokens":
		return atMost(b.Tokens, units.Count)
	case "time":
		return atMost(b.Time, time.Duration.String)
	case "sub-calls":
		return atMost(b.SubCalls, units.Count)
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
		var ok bool
		if b.Time, ok = units.ParseTime(value); !ok && value != "0" {
			err = errors.New("no time")
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
		return fmt.Errorf("%q is not a value for %s: /budget cost 2.50, /budget time 10m, /budget tokens 200000", value,
			what)
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
