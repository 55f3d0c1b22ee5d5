package runner_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// cell returns a reply with one cell, as models write it.
func cell(source string) string { return "```go\n" + source + "\n```" }

// logs returns a folder for the logs of an example. Programs usually omit runner.WithDataDir: then `rlm ls` finds
// the logs.
func logs() string {
	dir, err := os.MkdirTemp("", "rlm-example-")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

// A model answers a question over a text that it does not see: it writes a cell that examines the variable
// context. The scripted model replaces one from llm.New.
func Example() {
	model := llm.NewScripted("scripted", cell(`FINAL(strings.Count(context, "error"))`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Answer(context.Background(), "How many errors are there?",
		runner.Text("app.log", "ok\nerror: a\nok\nerror: b\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Answer)
	// Output: completed 2
}

// A run's events can be followed as they happen; breaking out of the loop cancels the run.
func ExampleRunner_Run() {
	model := llm.NewScripted("scripted", cell(`fmt.Println(len(context), "bytes")`), cell(`FINAL("done")`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range r.Run(context.Background(), "What is this?", runner.Text("note", "some text")) {
		if err != nil {
			log.Fatal(err)
		}
		switch d := ev.Data.(type) {
		case trajectory.CellEnded:
			fmt.Printf("turn %d: cell %d printed %q\n", ev.Turn, d.Cell, d.Output)
		case trajectory.RunEnded:
			fmt.Println("answer:", d.Answer)
		}
	}
	// Output:
	// turn 1: cell 1 printed "9 bytes\n"
	// turn 2: cell 2 printed ""
	// answer: done
}

// A session keeps its notebook from question to question, and can be opened again after it was closed.
func ExampleRunner_OpenSession() {
	model := llm.NewScripted(
		"scripted", cell("words := strings.Fields(context)\nFINAL(len(words))"), cell("FINAL(words[1])"))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	s, err := r.NewSession(ctx, runner.Text("poem", "lovely, dark and deep"))
	if err != nil {
		log.Fatal(err)
	}
	first, err := s.Answer(ctx, "How many words?")
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}

	s, err = r.OpenSession(ctx, s.ID())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	second, err := s.Answer(ctx, "Which is the second?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Answer, second.Answer)
	// Output: 4 dark
}

// Cells call the program's functions that are registered as tools.
func ExampleWithTool() {
	stock := func(item string) int { return map[string]int{"lamp": 3, "chair": 0}[item] }
	model := llm.NewScripted("scripted", cell(`FINAL(stock("lamp") + stock("chair"))`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir),
		runner.WithTool("stock", "how many of an item there are", stock, runner.Params("item"), runner.Repeatable()))
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Answer(context.Background(), "How many things are there?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Answer)
	// Output: 3
}

// A condition of the program ends a run; the best partial answer is kept.
func ExampleWithStop() {
	model := llm.NewScripted("scripted", cell(`answer["content"] = "a draft"`))
	dir := logs()
	defer os.RemoveAll(dir)
	r, err := runner.New(model, runner.WithDataDir(dir), runner.WithStop(func(s runner.State) (string, bool) {
		return "a draft will do", s.Partial != ""
	}))
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Answer(context.Background(), "Write something.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, "because", result.Reason+":", result.Answer)
	// Output: stopped because a draft will do: a draft
}
