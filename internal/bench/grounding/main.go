// Command grounding measures the tracer of grounded answers on labelled cases, one JSON object a line, and prints
// one line of JSON: precision and recall of "not grounded" over values, the accuracy of verdicts, and both by
// kind.
//
// The cases of testdata were written by people who had not seen the tracer. Each new set measured how the tracer does
// on unseen runs; then the tracer was improved by the set's errors. So they are not unseen any more, apart from every
// second line of answers.jsonl and all of subjects.jsonl, by which it was only measured.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/gorlm/rlm/internal/bench/grounding/cases"
)

func main() {
	wrong := flag.Bool("wrong", false, "print the values and verdicts that differ from their labels to stderr")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: grounding [-wrong] CASES.jsonl")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *wrong); err != nil {
		fmt.Fprintln(os.Stderr, "grounding:", err)
		os.Exit(1)
	}
}

func run(path string, wrong bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := cases.Read(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	score := cases.Measure(all)
	if wrong {
		for _, w := range score.Wrong {
			fmt.Fprintln(os.Stderr, w)
		}
	}
	out, err := json.Marshal(score)
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(out))
	return err
}
