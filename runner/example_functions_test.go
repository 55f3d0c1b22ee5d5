package runner_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// A runner can answer many questions, even concurrently.
func ExampleNew() {
	model := llm.NewScripted("scripted", cell(`FINAL(len(docs))`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "How many texts?", runner.Text("a", "one"), runner.Text("b", "two"))
	fmt.Println(result.Answer, err)
	// Output: 2 <nil>
}

// A run that ends at a limit without an answer is no error: the status gives the reason. The model gets one last
// turn after the limit.
func ExampleRunner_Answer() {
	looking := cell(`fmt.Println("still looking")`)
	model := llm.NewScripted("scripted", looking, looking)
	budgets := runner.DefaultBudgets()
	budgets.Iterations = 1
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir), runner.WithBudgets(budgets))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "What is the answer?", runner.Text("note", "There is none."))
	fmt.Println(result.Status, result.HasAnswer, err)
	// Output: max_iterations false <nil>
}

// The fields of a struct define the form of an answer.
func ExampleAnswerAs() {
	type count struct {
		Level string `json:"level" enum:"warning,error"`
		Lines int    `json:"lines"`
	}
	model := llm.NewScripted(
		"scripted", cell(`FINAL(map[string]any{"level": "error", "lines": strings.Count(context, "error")})`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	answer, _, err := runner.AnswerAs[count](
		context.Background(), r, "How many errors?", runner.Text("app.log", "ok\nerror: a\n"))
	fmt.Println(answer.Level, answer.Lines, err)
	// Output: error 1 <nil>
}

// A session keeps its variables and its conversation.
func ExampleRunner_NewSession() {
	model := llm.NewScripted("scripted", cell("n := len(strings.Fields(context))\nFINAL(n)"), cell(`FINAL(n * 2)`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	ctx := context.Background()
	s, err := r.NewSession(ctx, runner.Text("poem", "lovely, dark and deep"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, question := range []string{"How many words?", "And twice that?"} {
		result, err := s.Answer(ctx, question)
		fmt.Println(result.Answer, err)
	}
	// Output:
	// 4 <nil>
	// 8 <nil>
}

// A document can be a string of the program. Cells find it by its name.
func ExampleText() {
	model := llm.NewScripted("scripted", cell(`FINAL(docs[1].Name + ": " + docs[1].Text)`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "What is the second?", runner.Text("a", "first"),
		runner.Text("b", "second"))
	fmt.Println(result.Answer, err)
	// Output: b: second <nil>
}

// A path names a file, or a folder whose text files are all read.
func ExamplePath() {
	dir := logs()
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte("ok\nerror: a\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	model := llm.NewScripted("scripted", cell(`FINAL(strings.Count(context, "\n"))`))
	r, err := runner.New(model, runner.WithDataDir(filepath.Join(dir, "data")))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "How many lines?", runner.Path(filepath.Join(dir, "app.log")))
	fmt.Println(result.Answer, err)
	// Output: 2 <nil>
}

// Each run's log has a folder below the data folder.
func ExampleWithDataDir() {
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(llm.NewScripted("scripted", cell(`FINAL("done")`)), runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "What is this?", runner.Text("note", "some text"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(r.RunsDir(), result.RunID))
	fmt.Println(strings.HasPrefix(r.RunsDir(), dir), err)
	// Output: true <nil>
}

// One function sees the events of all runs, here to count model calls.
func ExampleWithEvents() {
	dir := logs()
	defer os.RemoveAll(dir)
	calls := 0
	count := func(_ string, events iter.Seq[trajectory.Event]) {
		for ev := range events {
			if _, ok := ev.Data.(trajectory.ReplyReceived); ok {
				calls++
			}
		}
	}
	model := llm.NewScripted("scripted", cell(`n := len(docs)`), cell(`FINAL(n)`))
	r, err := runner.New(model, runner.WithDataDir(dir), runner.WithEvents(count))
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Answer(context.Background(), "How many texts?", runner.Text("note", "some text"))
	r.Close() // waits for count
	fmt.Println(result.Answer, calls, err)
	// Output: 1 2 <nil>
}

// Cells get half a minute and 256 MB. New fails if the machine does not support the level that is named; Best uses
// the highest one that it supports.
func ExampleWithSandbox() {
	dir := logs()
	defer os.RemoveAll(dir)
	limits := sandbox.Limits{CellTime: 30 * time.Second, CellMemory: 256 << 20}
	r, err := runner.New(llm.NewScripted("scripted", cell(`FINAL(len(docs))`)), runner.WithDataDir(dir),
		runner.WithSandbox(sandbox.Best, limits))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Answer(context.Background(), "How many texts?", runner.Text("note", "some text"))
	fmt.Println(result.Answer, err)
	// Output: 1 <nil>
}
