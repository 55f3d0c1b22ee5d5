package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/batch"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/spf13/cobra"
)

const batchHelp = `Answer many questions, or one question over many files, unattended.

JOBS is a JSON Lines file (- for stdin), one job per line. Only "question" is required; relative paths are
resolved from the working directory.

  {"id": "a1", "question": "Who signed it?", "context": ["contract.pdf", "https://…", {"text": "…"}], "schema": "name string",
   "model": "…", "sub_model": "…", "budgets": {"cost": 0.5, "tokens": 100000, "time": "10m", "iterations": 10}, "metadata": {…}}

With --each there is one QUESTION, and a job for each file that matches; PATHs are added to the context of
every job. --together makes it a single job over all matching files. Everything is checked before anything is
paid for; --dry-run stops after that, and --limit N runs only the first N jobs.

Each result is written once, as it arrives: to --output as JSON Lines or CSV (the fields of a --schema are
columns), otherwise to stdout. Every job is a run of its own ('rlm show RUN'). Running the same command again
resumes where it stopped, even after kill -9, and never pays twice for a recorded reply; jobs whose text or
files have changed since, or that are asked differently (model, --system, --temperature, --reasoning-effort,
--require-evidence, --require-grounded), run again. Ctrl-C lets running jobs finish; a second Ctrl-C stops them at once.

A job whose endpoint fails is tried again after 2 s, 10 s, 1 min and 5 min. Jobs that cannot be answered are
set aside as dead, with the reason; --retry-failed tries them again. When --batch-cost, --batch-tokens or
--batch-time is used up, running jobs get one last turn, and the rest wait.

Exit codes: 0 all answered, 1 some jobs are dead, 2 wrong usage, 3 the budget of the batch is used up, 130
stopped.`

// batchFlags are the flags of a batch.
type batchFlags struct {
	output, format    string
	each              []string
	together, ordered bool
	limit, parallel   int
	dryRun, retry     bool
	quiet             bool
	schema            string
	cost              float64
	tokens            int64
	time              duration
	queue             fleetConn
	priority          int
	shared            string
}

func (l *launcher) batchCommand() *cobra.Command {
	var b batchFlags
	cmd := &cobra.Command{
		Use:     "batch [flags] JOBS.jsonl | QUESTION --each PATTERN [PATH…]",
		Short:   "Answer many questions, or one over many files, unattended",
		Long:    batchHelp,
		Example: "  rlm batch jobs.jsonl -o results.jsonl\n  rlm batch \"Who are the parties, and when does it end?\" --each 'contracts/*.pdf' --schema 'parties []string, end string' -o answers.csv",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return l.batch(cmd, b, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&b.output, "output", "o", "", "file to append results to (default: stdout)")
	f.StringVar(&b.format, "format", "", "jsonl or csv (default: from the extension of --output, else jsonl)")
	f.StringArrayVar(&b.each, "each", nil, "make a job for each file that matches this pattern (repeatable)")
	f.BoolVar(&b.together, "together", false, "make one job over all files of --each")
	f.BoolVar(&b.ordered, "ordered", false, "write results in job order, not as they arrive")
	f.IntVar(&b.limit, "limit", 0, "run only the first N jobs; the same command without --limit runs the rest (0: all)")
	f.IntVar(&b.parallel, "parallel", 4, "number of jobs to run at once")
	f.BoolVar(&b.dryRun, "dry-run", false, "check everything, print the price of the worst case, run nothing")
	f.BoolVar(&b.retry, "retry-failed", false, "retry dead jobs")
	f.BoolVarP(&b.quiet, "quiet", "q", false, "no progress on stderr")
	inGroup(f, groupShow, func() {
		f.StringVar(&b.schema, "schema", "",
			"answer form for jobs that name no schema of their own: a JSON Schema file, or fields such as 'name string, year int'")
	})
	inGroup(f, groupBudgets, func() {
		f.Float64Var(&b.cost, "batch-cost", 0, "USD for all jobs together (0: no limit)")
		f.Int64Var(&b.tokens, "batch-tokens", 0, "tokens for all jobs together (0: no limit)")
		f.Var(&b.time, "batch-time", "wall time of this command (0s: no limit)")
	})
	b.queue.flags(f)
	f.IntVar(&b.priority, "priority", 0, "fleet nodes take jobs of batches with higher priority first")
	f.StringVar(&b.shared, "shared-path", "",
		"folder that all fleet nodes have; they read paths below it directly")
	l.set.modelFlags(f)
	inGroup(f, groupStop, func() { l.set.stopFlags(f) })
	inGroup(f, groupModel, func() {
		f.StringVar(&l.set.System, "system", l.set.System, "text added to the system prompt")
	})
	l.set.budgetFlags(f)
	l.set.cellFlags(f)
	for _, sub := range []*cobra.Command{
		l.batchListCommand(&b.queue), l.batchStatusCommand(&b.queue), l.batchResultsCommand(&b.queue),
		l.batchCancelCommand(&b.queue), l.batchRetryCommand(&b.queue), l.batchRemoveCommand(&b.queue),
	} {
		b.queue.flags(sub.Flags())
		cmd.AddCommand(sub)
	}
	return cmd
}

func (l *launcher) batch(cmd *cobra.Command, b batchFlags, args []string) error {
	ctx := cmd.Context()
	if err := l.set.ready(); err != nil {
		return err
	}
	if err := b.check(); err != nil {
		return err
	}
	if !slices.Contains(args, "-") {
		instead := "- instead of JOBS"
		if len(b.each) > 0 {
			instead = "name the file it comes from"
		}
		defer l.unread(b.quiet, instead)()
	}
	if b.queue.address() != "" {
		return l.fleetBatch(cmd, b, args)
	}
	m := &batchModels{launcher: l}
	jobs, named, err := l.jobs(ctx, b, m, args)
	if err != nil {
		return err
	}
	if b.dryRun {
		fmt.Fprintln(l.err, l.set.batchWorst(b, jobs))
		return nil
	}
	if m.standard, err = l.models(ctx); err != nil {
		return err
	}
	if m.standard.note != "" && !b.quiet {
		fmt.Fprintln(l.err, m.standard.note)
	}
	if m.policy, err = l.set.stopPolicy(); err != nil {
		return err
	}
	for i := range jobs { // the models are part of what identifies a job
		if jobs[i].Model == "" {
			jobs[i].Model = l.set.Model
		}
		if jobs[i].SubModel == "" {
			jobs[i].SubModel = l.set.SubModel
		}
		jobs[i].Asked = fleet.ModelOptions{
			System: l.set.System, Temperature: l.set.Temperature, ReasoningEffort: l.set.ReasoningEffort,
		}
		jobs[i].Requires = l.set.requirements()
	}
	if !b.quiet {
		fmt.Fprintln(l.err, l.set.batchWorst(b, jobs))
	}
	return l.runBatch(ctx, b, named, jobs, func(
		ctx context.Context, q *fleet.Queue, id string, v *batch.View, since uint64,
	) iter.Seq2[fleet.Result, error] {
		node := &fleet.Node{Queue: q, Batch: id, Slots: b.parallel, Setup: m.setup, Alone: true, Event: v.Event}
		return node.Work(ctx, context.WithoutCancel(ctx), since)
	})
}

// runBatch submits the jobs of a batch, runs them or waits for them, and writes their results.
func (std streams) runBatch(
	ctx context.Context, b batchFlags, named string, jobs []fleet.Job, work batch.Work,
) (err error) {
	q, err := b.queue.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	runs, err := runsDir()
	if err != nil {
		return err
	}
	return batch.Run(underSpan(ctx), q, b.known(named), jobs, std.batchOptions(b, runs), work)
}

func (std streams) batchOptions(b batchFlags, runs string) batch.Options {
	return batch.Options{
		Out: std.out, Err: std.err, Output: b.output, Format: fleet.Format(b.format), Ordered: b.ordered,
		Quiet: b.quiet, Fleet: b.queue.address() != "",
		Submission: fleet.Submission{
			Limit: b.limit, Retry: b.retry, RunsDir: runs, SharedPath: b.shared, Version: version(),
		},
	}
}

func (b *batchFlags) check() error {
	switch {
	case b.format != "" && b.format != string(fleet.JSONL) && b.format != string(fleet.CSV):
		return wrongUsage("--format must be jsonl or csv, not %q", b.format)
	case b.together && len(b.each) == 0:
		return wrongUsage("--together needs --each")
	case b.parallel < 1:
		return wrongUsage("--parallel must be at least 1")
	case b.limit < 0, b.cost < 0, b.tokens < 0:
		return wrongUsage("--limit, --batch-cost and --batch-tokens must not be negative")
	}
	if b.output == "-" {
		b.output = ""
	}
	if b.format == "" {
		b.format = string(fleet.JSONL)
		if strings.EqualFold(filepath.Ext(b.output), ".csv") {
			b.format = string(fleet.CSV)
		}
	}
	return nil
}

// jobs returns the jobs that the command line describes, after checking them, and the text that identifies the
// batch.
func (std streams) jobs(
	ctx context.Context, b batchFlags, m *batchModels, args []string,
) (jobs []fleet.Job, named string, err error) {
	form, err := askFlags{schema: b.schema}.formText(ctx)
	if err != nil {
		return nil, "", err
	}
	check := func(j fleet.Job) error { return m.check(ctx, j) }
	if m == nil { // the nodes have the models
		check = func(fleet.Job) error { return nil }
	}
	if len(b.each) > 0 {
		jobs, err = std.eachJob(ctx, b, form, args)
		if err == nil {
			err = errors.Join(eachCheck(jobs, check)...)
		}
		named = strings.Join(append(args, b.each...), "\x00")
	} else {
		jobs, named, err = std.jobsFile(ctx, args, check)
	}
	if err != nil {
		var already *exit
		if errors.As(err, &already) || ctx.Err() != nil {
			return nil, "", err
		}
		return nil, "", wrongUsage("%w\nNothing was run", err)
	}
	for i := range jobs {
		if jobs[i].Schema == "" {
			jobs[i].Schema = form
		}
	}
	return jobs, named, nil
}

func eachCheck(jobs []fleet.Job, check func(fleet.Job) error) (problems []error) {
	for _, j := range jobs {
		err := j.Check()
		if err == nil {
			err = check(j)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", j.ID, err))
		}
	}
	return problems
}

func (std streams) jobsFile(
	ctx context.Context, args []string, check func(fleet.Job) error,
) (jobs []fleet.Job, named string, err error) {
	if len(args) != 1 {
		return nil, "", wrongUsage("rlm batch takes one file of jobs, or a question with --each")
	}
	if named = args[0]; named != "-" {
		if named, err = filepath.Abs(named); err != nil {
			return nil, "", fmt.Errorf("reading jobs: %w", err)
		}
	}
	jobs, err = input.Read(ctx, func() ([]fleet.Job, error) { return std.readJobs(args[0], check) })
	return jobs, named, err
}

func (std streams) readJobs(named string, check func(fleet.Job) error) ([]fleet.Job, error) {
	in := std.stdin()
	if named != "-" {
		f, err := os.Open(named)
		if err != nil {
			if strings.ContainsAny(named, " \t\n") {
				return nil, wrongUsage("there is no file %q; a question needs --each PATTERN", named)
			}
			return nil, notOpened(named, err)
		}
		defer f.Close() // nothing was written
		in = f
	}
	jobs, err := fleet.ReadJobs(in, check)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", named, err)
	}
	return jobs, nil
}

// eachJob returns the jobs that ask one question over many files.
func (std streams) eachJob(ctx context.Context, b batchFlags, form string, args []string) ([]fleet.Job, error) {
	if len(args) == 0 {
		return nil, wrongUsage("--each needs a question: rlm batch QUESTION --each PATTERN")
	}
	question, paths, err := std.question(ctx, "", args)
	if err != nil {
		return nil, err
	}
	var shared []fleet.Source
	for _, p := range paths {
		s := fleet.Source{Path: p}
		if isURL(p) {
			s = fleet.Source{URL: p}
		}
		shared = append(shared, s)
	}
	matched, there := []string{}, map[string]bool{}
	for _, pattern := range b.each {
		list := []string{pattern}
		if isPattern(pattern) {
			if list, err = files.Glob(pattern); err != nil {
				return nil, wrongUsage("%w", err)
			}
		}
		for _, path := range list {
			if !utf8.ValidString(path) { // a job is JSON, which would change the name
				return nil, wrongUsage("the name of %q is not UTF-8: rename the file", path)
			}
			if !there[path] {
				there[path] = true
				matched = append(matched, path)
			}
		}
	}
	if b.together {
		for _, path := range matched {
			shared = append(shared, fleet.Source{Path: path})
		}
		return []fleet.Job{{ID: "together", Question: question, Context: shared, Schema: form}}, nil
	}
	jobs := make([]fleet.Job, len(matched))
	for i, path := range matched {
		jobs[i] = fleet.Job{
			ID: plainName(path), Question: question, Context: append([]fleet.Source{{Path: path}}, shared...),
			Schema: form,
		}
	}
	return jobs, nil
}

// plainName returns a file's path as the id of its job: an id is shown, so it has no control characters.
func plainName(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

// known returns the command's batch. The same command always has the same batch, which it continues.
func (b batchFlags) known(named string) fleet.Batch {
	output := b.output
	if abs, err := filepath.Abs(output); err == nil && output != "" {
		output = abs
	}
	dir, _ := os.Getwd() // if unknown, the rest distinguishes batches
	dir, output, named = realPath(dir), realPath(output), realPath(named)
	label := filepath.Base(named)
	if output != "" {
		label = filepath.Base(output)
	}
	place := dir
	if filepath.IsAbs(named) {
		place = "" // a file of jobs means the same batch in any folder
	}
	if b.queue.address() != "" { // other machines may have the same paths
		host, _ := os.Hostname() // if unknown, the paths distinguish batches
		place = host + ":" + place
	}
	// Strings can always be encoded.
	about, _ := json.Marshal(
		batch.Invocation{Command: withoutSecrets(strings.Join(os.Args, " ")), Dir: dir, Output: output})
	return fleet.Batch{
		ID: text.ID(label, named, output, place, fmt.Sprint(b.together)), Name: cmp.Or(output, label), Metadata: about,
		Budget: fleet.Budget{Cost: b.cost, Tokens: b.tokens, Time: time.Duration(b.time)}, Priority: b.priority,
	}
}

// realPath resolves links in the folders of an absolute path, so that each file has one name. Other paths are
// returned unchanged.
func realPath(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil { // the file does not exist yet
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// batchWorst describes the number of jobs and their worst-case cost.
func (s *settings) batchWorst(b batchFlags, jobs []fleet.Job) string {
	worst, unknown := 0.0, ""
	n := len(jobs)
	if b.limit > 0 {
		n = min(n, b.limit)
	}
	for _, j := range jobs[:n] {
		usd, unpriced := s.mostCostOf(j.Over(s.budgets()), cmp.Or(j.Model, s.Model), cmp.Or(j.SubModel, s.SubModel))
		if len(unpriced) > 0 {
			unknown = unpriced[len(unpriced)-1]
		}
		if math.IsInf(usd, 1) {
			unknown = "jobs without a limit"
		}
		worst += usd
	}
	text := units.Of(n, "job")
	if n < len(jobs) {
		text += fmt.Sprintf(" of %d", len(jobs))
	}
	switch {
	case s.Model == "" && slices.ContainsFunc(jobs, func(j fleet.Job) bool { return j.Model == "" }):
		return text + "; worst case: unknown, because no model is named"
	case unknown != "":
		text += "; worst case: unknown, because there is no price for " + unknown + " (see 'rlm config --help')"
	case b.cost > 0 && b.cost < worst:
		return text + fmt.Sprintf(
			"; worst case: %s (the batch's budget), plus what is in flight when it is reached", units.Dollars(b.cost))
	default:
		text += "; worst case: " + units.Dollars(worst)
	}
	if b.cost > 0 && unknown != "" {
		return text + fmt.Sprintf("; the batch's budget of %s cannot be enforced", units.Dollars(b.cost))
	}
	if b.cost > 0 {
		text += fmt.Sprintf("; the batch's budget is %s", units.Dollars(b.cost))
	}
	return text
}
