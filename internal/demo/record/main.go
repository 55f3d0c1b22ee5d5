// Command record turns a finished run into a recording for an example:
//
//	go run ./internal/demo/record ~/.local/share/rlm/runs/ID >examples/incidents/corpus/replies.jsonl
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: record RUN-FOLDER >replies.jsonl")
		os.Exit(2)
	}
	if err := extract(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
