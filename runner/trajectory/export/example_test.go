package export_test

import (
	"fmt"
	"os"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// A run becomes a page of Markdown.
func ExampleMarkdown() {
	events := func(yield func(trajectory.Event, error) bool) {
		for _, d := range []trajectory.Data{
			trajectory.TurnStarted{},
			trajectory.ReplyReceived{
				Content: trajectory.T("There are three."), Model: "m",
				Usage: trajectory.Usage{Prompt: 900, Completion: 12},
			},
			trajectory.RunEnded{Status: "completed", Answer: "3", HasAnswer: true, Turns: 1},
		} {
			if !yield(trajectory.Event{Turn: 1, Data: d}, nil) {
				return
			}
		}
	}
	if err := export.Markdown(os.Stdout, events); err != nil { // or events from trajectory.Read(dir)
		fmt.Println(err)
	}
	// Output:
	// ## Turn 1
	//
	// > There are three.
	//
	// 900 tokens in, 12 out
	//
	// ## Answer
	//
	// > 3
	//
	// Status: `completed` · 1 turn · 0 cells · 0 sub-calls · cost unknown
}
