package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (std streams) lsCommand(at *serverConn) *cobra.Command {
	var asJSON bool
	var most int
	var which filter
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list", "sessions"},
		Short:   "List runs and sessions: when, status, cost, question",
		Args:    noArgs,
		Example: "  rlm ls --status interrupted   runs that were cut off; 'rlm resume' continues them\n" +
			"  rlm ls --status stopped       runs that Ctrl-C ended; 'rlm resume' continues them too\n" +
			"  rlm ls --kind session --since 7d --grep outage\n" +
			"  rlm ls --kind job             each job of a batch, instead of one line per batch",
		RunE: func(cmd *cobra.Command, _ []string) error { return std.ls(cmd.Context(), at, which, asJSON, most) },
	}
	which.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().IntVarP(&most, "number", "n", 50, "list at most this many, newest first (0: all)")
	return cmd
}

// runLine is a run in the output of --json.
type runLine struct {
	ID string `json:"id"`
	trajectory.Summary
	Trajectory string `json:"trajectory,omitempty"` // the run's log; empty for a run of a server
}

func (std streams) ls(ctx context.Context, at *serverConn, which filter, asJSON bool, most int) error {
	all, err := at.recorded(ctx)
	if err != nil {
		return err
	}
	list, err := which.of(all)
	if err != nil {
		return err
	}
	if !asJSON && which.kind != string(trajectory.KindJob) {
		list = withBatches(list)
	}
	left := 0
	if most > 0 && len(list) > most {
		left = len(list) - most
		list = list[:most]
	}
	if asJSON {
		out := []runLine{}
		for _, s := range list {
			out = append(out, runLine{ID: s.ID, Summary: s, Trajectory: at.logOf(s)})
		}
		return std.out.JSON(out)
	}
	if len(list) == 0 && len(all) > 0 {
		fmt.Fprintf(std.err, "no run matches (%d in all)\n", len(all))
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(std.err, "no runs yet; try: rlm demo")
		return nil
	}
	if err := std.out.Styled(std.out.Cut(table(list, std.room()))); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	if left > 0 {
		fmt.Fprintf(std.err, "and %d older (rlm ls -n 0)\n", left)
	}
	return nil
}

// withBatches replaces the jobs of each batch by one line, where the batch's newest job was.
func withBatches(list []trajectory.Summary) []trajectory.Summary {
	var out []trajectory.Summary
	place, jobs := map[string]int{}, map[string]int{}
	for _, s := range list {
		if s.Kind != trajectory.KindJob {
			out = append(out, s)
			continue
		}
		i, there := place[s.Batch]
		if jobs[s.Batch]++; !there {
			place[s.Batch] = len(out)
			s.ID, s.Kind = s.Batch, "batch"
			out = append(out, s)
			continue
		}
		b := &out[i]
		switch {
		case s.Status == trajectory.StatusRunning:
			b.Status = s.Status
		case b.Status != s.Status && b.Status != trajectory.StatusRunning:
			b.Status = "various"
		}
		if b.Cost != nil && s.Cost != nil {
			sum := *b.Cost + *s.Cost
			b.Cost = &sum
		} else {
			b.Cost = nil
		}
		b.Started, b.Turns = s.Started, b.Turns+s.Turns
	}
	for id, i := range place {
		out[i].Question = units.Of(jobs[id], "job") + ": " + out[i].Question
	}
	return out
}

// room returns the available width for a table: the terminal's, or unlimited.
func (std streams) room() int {
	if !std.out.Terminal() {
		return math.MaxInt
	}
	columns, _ := std.out.Size()
	return columns
}

// table lists runs, one per line. If there is little room, columns that matter less than the question are left out.
func table(list []trajectory.Summary, room int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	tiny, narrow := room < 50, room < 110
	switch {
	case tiny:
		fmt.Fprintln(w, "ID\tSTATUS\tQUESTION")
	case narrow:
		fmt.Fprintln(w, "ID\tSTARTED\tSTATUS\tCOST\tQUESTION")
	default:
		fmt.Fprintln(w, "ID\tKIND\tSTARTED\tSTATUS\tTURNS\tCOST\tQUESTION")
	}
	for _, s := range list {
		id, started, status, cost := screen.Line(s.ID), s.Started.Local(), screen.Line(s.Status), costText(s.Cost)
		if tiny {
			fmt.Fprintf(w, "%s\t%s\t%s\n", id, status, questionText(s))
			continue
		}
		if narrow {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", id, started.Format("01-02 15:04"), status, cost, questionText(s))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", id, s.Kind, started.Format(time.DateTime), status, s.Turns, cost,
			questionText(s))
	}
	w.Flush() // it writes to memory and cannot fail
	return b.String()
}

func costText(usd *float64) string {
	if usd == nil {
		return "?"
	}
	return units.Dollars(*usd)
}

func questionText(s trajectory.Summary) string {
	if s.Problem != "" {
		return screen.Line(s.Problem)
	}
	text := s.Question
	if s.Questions == 0 {
		text = "(no question, " + units.Of(s.Cells, "cell") + ")"
	}
	if s.Name != "" {
		text = s.Name + ": " + text
	}
	text = strings.Join(strings.Fields(text), " ")
	text = ansi.Truncate(screen.Line(text), 70, "…")
	if s.Questions > 1 {
		text += fmt.Sprintf(" (and %d more)", s.Questions-1)
	}
	return text
}

// statuses returns the possible statuses of a run, common ones first.
func statuses() []string {
	return []string{
		string(termination.Completed), trajectory.StatusRunning, trajectory.StatusInterrupted,
		string(termination.Failed),
		string(termination.PendingReview), trajectory.StatusApproved, trajectory.StatusOpen,
		trajectory.StatusClosed,
		trajectory.StatusUnreadable,
		string(termination.ImplicitCompletion), string(termination.MaxIterations),
		string(termination.IterationsExceeded),
		string(termination.Stopped), string(termination.EmptyResponseError), string(termination.TokenLimit),
		string(termination.CostLimit), string(termination.TimeLimit), string(termination.SubCallLimit),
		string(termination.DepthLimit), string(termination.ErrorLimit),
	}
}

func kinds() []string {
	return []string{string(trajectory.KindRun), string(trajectory.KindSession), string(trajectory.KindJob)}
}

// filter selects runs from a list.
type filter struct {
	status, kind, text string
	since, olderThan   age
	empty              bool
}

func (f *filter) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.status, "status", "", "runs with this status, such as completed, interrupted or pending_review")
	flags.StringVar(&f.kind, "kind", "", "run, session or job (of a batch)")
	flags.StringVar(&f.text, "grep", "", "runs whose question, name or model contains this text, ignoring case")
	flags.Var(&f.since, "since", "runs that began within this time, such as 12h or 7d")
}

// given reports whether any condition is set.
func (f filter) given() bool { return f != filter{} }

// of returns the runs that match all conditions, in the same order. An unknown status is valid if a run has it,
// because another version may have written the log.
func (f filter) of(list []trajectory.Summary) ([]trajectory.Summary, error) {
	has := func(s trajectory.Summary) bool { return s.Status == f.status }
	if f.status != "" && !slices.Contains(statuses(), f.status) && !slices.ContainsFunc(list, has) {
		return nil, wrongUsage("there is no status %q; there are: %s", f.status, strings.Join(statuses(), ", "))
	}
	if f.kind != "" && !slices.Contains(kinds(), f.kind) {
		return nil, wrongUsage("--kind must be run, session or job (of a batch), not %q", f.kind)
	}
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(list), func(s trajectory.Summary) bool {
		switch {
		case f.status != "" && s.Status != f.status,
			f.kind != "" && string(s.Kind) != f.kind,
			f.since > 0 && s.Started.Before(now.Add(-time.Duration(f.since))),
			f.olderThan > 0 && s.Last.After(now.Add(-time.Duration(f.olderThan))),
			f.empty && (s.Questions > 0 || s.Cells > 0 || s.Problem != ""):
			return true
		}
		text := strings.ToLower(s.Name + "\n" + s.Question + "\n" + s.Model)
		return f.text != "" && !strings.Contains(text, strings.ToLower(f.text))
	}), nil
}

// age is the time since something happened, in the form in which people write it: "30d", "12h", "90m".
type age time.Duration

func (d age) String() string {
	if d == 0 {
		return ""
	}
	return time.Duration(d).String()
}

// Type returns the kind of value in help texts.
func (age) Type() string { return "age" }

// Set parses an age, in which d means days and w weeks.
func (d *age) Set(text string) error {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || n <= 0 || n > 36500 {
				return errAge(text)
			}
			*d = age(n * float64(length))
			return nil
		}
	}
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return errAge(text)
	}
	*d = age(v)
	return nil
}

func errAge(text string) error {
	return wrongUsage("%q is not an age (for example 30d, 12h or 2w)", text)
}

// unreadable returns a list entry for a run whose log cannot be read.
func unreadable(dir string, err error) trajectory.Summary {
	return trajectory.Summary{
		ID: filepath.Base(dir), Dir: dir, Status: trajectory.StatusUnreadable, Problem: err.Error(),
	}
}

// runsDir returns the folder of the runs.
func runsDir() (string, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	return trajectory.RunsDir(data), nil
}

// listRuns lists the runs, newest first. Runs that failed before they began, for example because a path did not
// exist, are left out.
func listRuns() ([]trajectory.Summary, error) {
	runs, err := runsDir()
	if err != nil {
		return nil, err
	}
	list, err := trajectory.List(runs)
	return slices.DeleteFunc(list, func(s trajectory.Summary) bool { return s.Events == 0 && s.Problem == "" }), err
}

// findRun returns the folder of the run with an id, which may be shortened; "last" means the newest run.
func findRun(id string) (string, error) {
	runs, err := runsDir()
	if err != nil {
		return "", err
	}
	if id == "last" {
		list, err := listRuns()
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			return "", wrongUsage("there is no run yet; try: rlm demo")
		}
		return list[0].Dir, nil
	}
	id, _, _ = strings.Cut(id, ".") // ID.2 is the second question of a session
	dir, err := trajectory.Find(runs, id)
	var missing *trajectory.NotFoundError
	if errors.As(err, &missing) {
		return "", asUsage(err)
	}
	return dir, err
}

// completeRuns completes the ids of runs, and shows their questions.
func completeRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := listRuns()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out := []string{"last"}
	for _, s := range list {
		if s.Kind != trajectory.KindJob {
			out = append(out, s.ID+"\t"+questionText(s))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// runID returns the full id of the run that findRun finds.
func runID(id string) (string, error) {
	dir, err := findRun(id)
	return filepath.Base(dir), err
}

func logPath(dir string) string { return filepath.Join(dir, "trajectory.jsonl") }
