package trajectory_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/runner/trajectory"
)

// sampleLog makes the log of a short run.
func sampleLog(dir string) error {
	log, err := trajectory.Create(dir, nil)
	if err != nil {
		return err
	}
	for _, d := range []trajectory.Data{
		trajectory.RunStarted{Run: "r", Question: "How many errors?", Model: "m"},
		trajectory.TurnStarted{Messages: 2},
		trajectory.ReplyReceived{
			Content: trajectory.T("FINAL(3)"), Model: "m", Usage: trajectory.Usage{Prompt: 900, Completion: 12},
		},
		trajectory.RunEnded{Status: "completed", Answer: "3", HasAnswer: true, Turns: 1},
	} {
		if _, err := log.Append("", 0, d); err != nil {
			return err
		}
	}
	return log.Close()
}

func temporary() string {
	dir, err := os.MkdirTemp("", "rlm-example-")
	if err != nil {
		panic(err)
	}
	return dir
}

// The events of a run are read one by one. Types that a reader does not know are skipped.
func ExampleRead() {
	dir := temporary()
	defer os.RemoveAll(dir)
	if err := sampleLog(dir); err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range trajectory.Read(dir) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := e.Data.(type) {
		case trajectory.RunStarted:
			fmt.Println("question:", d.Question)
		case trajectory.ReplyReceived:
			fmt.Println("reply:", d.Content, d.Usage.Prompt+d.Usage.Completion, "tokens")
		case trajectory.RunEnded:
			fmt.Println("answer:", d.Answer)
		}
	}
	// Output:
	// question: How many errors?
	// reply: FINAL(3) 912 tokens
	// answer: 3
}

// A list of runs reads each log's summary.
func ExampleList() {
	runs := temporary()
	defer os.RemoveAll(runs)
	if err := sampleLog(filepath.Join(runs, "0abcdefg12")); err != nil {
		fmt.Println(err)
		return
	}
	list, err := trajectory.List(runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range list {
		fmt.Println(s.ID, s.Status, s.Question)
	}
	// Output: 0abcdefg12 completed How many errors?
}

// A program that follows a run as it happens subscribes to its log.
func ExampleLog_Subscribe() {
	dir := temporary()
	defer os.RemoveAll(dir)
	log, err := trajectory.Create(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	events, stop := log.Subscribe()
	defer stop()
	if _, err := log.Append("", 1, trajectory.Warned{About: "price", Text: "the price of m is not known"}); err != nil {
		fmt.Println(err)
		return
	}
	if err := log.Close(); err != nil {
		fmt.Println(err)
		return
	}
	for e := range events {
		fmt.Println(e.Seq, e.Data.EventType())
	}
	// Output: 1 warned
}

// A log that was damaged, for example by a bad disk, is cut before the damage; nothing is deleted.
func ExampleRepair() {
	dir := temporary()
	defer os.RemoveAll(dir)
	if err := sampleLog(dir); err != nil {
		fmt.Println(err)
		return
	}
	file := filepath.Join(dir, "trajectory.jsonl")
	b, err := os.ReadFile(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	b[len(b)/2] = 0
	if err := os.WriteFile(file, b, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	damage, err := trajectory.Repair(dir)
	fmt.Println(damage.Kept > 0, damage.First != nil, filepath.Base(damage.Aside), err)
	// Output: true true trajectory.jsonl.tail <nil>
}

// Kept leaves out the questions of a session that a person took back.
func ExampleKept() {
	events := []trajectory.Event{
		{Data: trajectory.RunStarted{Question: "first"}},
		{Data: trajectory.RunStarted{Question: "second"}},
		{Data: trajectory.Undone{Runs: 1}},
	}
	for _, e := range trajectory.Kept(events) {
		fmt.Println(e.Data.(trajectory.RunStarted).Question)
	}
	// Output: first
}
