package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
	"github.com/gorlm/rlm/termination"
)

func (c *core) undo(ctx context.Context, _ string, out sink) error {
	if err := c.current().Undo(ctx); err != nil {
		return err
	}
	out.show("the last question is taken back, with the cells and variables since then")
	return nil
}

// retry goes on with a question that was interrupted, without paying again for what was answered; one that
// ended is taken back and asked again.
func (c *core) retry(ctx context.Context, _ string, out sink) error {
	if s := c.current(); s.Pending() {
		return c.follow(ctx, s.Resume(ctx), out)
	}
	question, err := c.lastQuestion()
	if err != nil {
		return err
	}
	if err := c.current().Undo(ctx); err != nil {
		return err
	}
	return c.ask(ctx, question, out)
}

// exchange is a question with its answer, as the log has it.
type exchange struct {
	question string
	end      trajectory.RunEnded
}

// exchanges reads the session's questions from its log, without those that were taken back.
func (c *core) exchanges() ([]exchange, error) {
	var all []exchange
	for ev, err := range trajectory.Skim(c.current().Dir()) {
		if err != nil {
			return nil, fmt.Errorf("reading the session: %w", err)
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			all = append(all, exchange{question: d.Question})
		case trajectory.RunEnded:
			if len(all) > 0 {
				all[len(all)-1].end = d
			}
		case trajectory.Undone:
			all = all[:max(0, len(all)-d.Runs)]
		}
	}
	return all, nil
}

func (c *core) lastQuestion() (string, error) {
	all, err := c.exchanges()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", errors.New("nothing was asked yet")
	}
	return all[len(all)-1].question, nil
}

// exchangeText shows where a session stands after its last question.
func (c *core) exchangeText(last exchange) string {
	t := transcript{r: c.render}
	if last.end.Status == "" {
		return t.Question(last.question) + "\n" + c.render.paint(faint, "interrupted; /retry goes on with it")
	}
	return t.Question(last.question) + "\n" + t.ended(last.end)
}

func (c *core) model(_ context.Context, name string, out sink) error {
	s := c.current()
	if name == "" {
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
	if err := c.current().Set(with(m)); err != nil {
		return err
	}
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

// review decides on an answer of task mode.
func (c *core) review(ctx context.Context, args string, out sink) error {
	verdict, note, _ := strings.Cut(args, " ")
	note = strings.TrimSpace(note)
	switch {
	case verdict == "approve":
	case verdict == "reject" && note != "":
	case verdict == "reject":
		return errors.New("say what is missing: /review reject NOTE")
	default:
		return errors.New("say which: /review approve, or /review reject NOTE")
	}
	if err := c.follow(ctx, c.current().Review(ctx, verdict == "approve", note), out); err != nil {
		return err
	}
	if verdict == "approve" {
		out.show("approved")
	}
	return nil
}

// budget shows or changes what one question may use.
func (c *core) budget(_ context.Context, args string, out sink) error {
	s := c.current()
	b := s.Budgets()
	if args != "" {
		what, value, _ := strings.Cut(args, " ")
		if err := setBudget(&b, what, strings.TrimSpace(value)); err != nil {
			return err
		}
		if err := s.Set(runner.WithBudgets(b)); err != nil {
			return err
		}
	}
	out.show("each question may use at most\n" + c.table([][2]string{
		{"cost", bound(b.Cost, progress.Dollars)},
		{"tokens", bound(b.Tokens, progress.Count)},
		{"time", bound(b.Time, time.Duration.String)},
		{"sub-calls", bound(b.SubCalls, progress.Count)},
		{"iterations", bound(b.Iterations, strconv.Itoa)},
		{"depth", bound(b.Depth, strconv.Itoa)},
	}))
	return nil
}

func setBudget(b *runner.Budgets, what, value string) (err error) {
	switch what {
	case "cost":
		b.Cost, err = strconv.ParseFloat(strings.TrimPrefix(value, "$"), 64)
	case "tokens":
		b.Tokens, err = strconv.ParseInt(value, 10, 64)
	case "time":
		b.Time, err = time.ParseDuration(value)
	case "sub-calls":
		b.SubCalls, err = strconv.ParseInt(value, 10, 64)
	case "iterations":
		b.Iterations, err = strconv.Atoi(value)
	case "depth":
		b.Depth, err = strconv.Atoi(value)
	default:
		return fmt.Errorf("there is no budget %q: cost, tokens, time, sub-calls, iterations, depth", what)
	}
	if err != nil {
		return fmt.Errorf("%q is no value for %s: /budget cost 2.50, /budget time 10m, /budget tokens 200000", value, what)
	}
	return nil
}

func bound[N int | int64 | float64 | time.Duration](v N, text func(N) string) string {
	if v <= 0 {
		return "no bound"
	}
	return text(v)
}

func (c *core) fork(ctx context.Context, _ string, out sink) error {
	fork, err := c.current().Fork(ctx)
	if err != nil {
		return err
	}
	return c.change(fork, "this is now session "+fork.ID()+", a copy", out)
}

func (c *core) open(ctx context.Context, id string, out sink) error {
	if id == "" {
		return errors.New("say which session: /open ID; /sessions lists them")
	}
	if strings.HasPrefix(c.current().ID(), id) {
		return errors.New("that is this session")
	}
	s, err := c.opt.Runner.OpenSession(ctx, id)
	if err != nil {
		return err
	}
	if err := c.change(s, "this is now session "+s.ID(), out); err != nil {
		return err
	}
	asked, err := c.exchanges()
	if err == nil && len(asked) > 0 {
		out.show(c.exchangeText(asked[len(asked)-1]))
	}
	return err
}

// change goes on with another session and closes the one there was.
func (c *core) change(s *runner.Session, say string, out sink) error {
	c.mu.Lock()
	old := c.session
	c.session = s
	c.mu.Unlock()
	out.show(say)
	return old.Close()
}

// sessionsShown is how many sessions are listed, the latest first.
const sessionsShown = 20

func (c *core) sessions(_ context.Context, _ string, out sink) error {
	all, err := trajectory.List(c.opt.Runner.RunsDir())
	if err != nil {
		return err
	}
	var lines []string
	for i, s := range all {
		if i == sessionsShown {
			lines = append(lines, fmt.Sprintf("… %d more: rlm ls", len(all)-sessionsShown))
			break
		}
		name := s.Question
		if s.Name != "" {
			name = s.Name + ": " + name
		}
		line := fmt.Sprintf("%s  %s  %-18s %s", s.ID, s.Started.Local().Format("2006-01-02 15:04"), s.Status, strings.Join(strings.Fields(name), " "))
		lines = append(lines, truncate(screen.Clean(line), c.render.cells()))
	}
	out.show(strings.Join(lines, "\n"))
	return nil
}

func (c *core) rename(_ context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("say the name: /rename NAME")
	}
	if err := c.current().Rename(name); err != nil {
		return err
	}
	out.show("named " + screen.Clean(name))
	return nil
}

func (c *core) save(_ context.Context, _ string, out sink) error {
	s := c.current()
	out.show("kept as it happens in " + s.Dir() + "\ngo on with: rlm open " + s.ID())
	return nil
}

func (c *core) export(_ context.Context, path string, out sink) (err error) {
	if path == "" {
		return errors.New("say where to: /export FILE.md")
	}
	f, err := os.OpenFile(expandHome(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists; name another file", path)
	}
	if err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := export.Markdown(f, trajectory.Read(c.current().Dir())); err != nil {
		return err
	}
	out.show("written to " + path)
	return nil
}
