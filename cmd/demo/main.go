// Command demo is "rlm demo" without the rest of rlm, for a first look: built from nothing it costs three fifths of
// what rlm costs. It records its run where rlm does.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gorlm/rlm/examples/recorded"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

func main() {
	startup.GrowHeap()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	os.Exit(run(ctx, os.Args[1:], screen.NewOutput(os.Stdout), screen.NewOutput(os.Stderr)))
}

// run answers the question that the arguments name, and returns the exit code.
func run(ctx context.Context, args []string, out, errOut *screen.Output) int {
	errOut.Wrap()
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(errOut, "demo: warning: %v\n", err)
	}
	ex, err := recorded.Named(args)
	if err != nil {
		fmt.Fprintf(errOut, "demo: %v\n", err)
		return exitcode.Usage
	}
	fmt.Fprintln(errOut, ex.Before())
	err = follow(ctx, ex, out, errOut)
	if err == nil {
		fmt.Fprintln(errOut, recorded.After)
		return exitcode.Answered
	}
	if err.Error() != "" { // else it has been reported
		fmt.Fprintf(errOut, "demo: %v\n", err)
	}
	if ended := (*front.Exit)(nil); errors.As(err, &ended) {
		return ended.Code
	}
	return exitcode.Failed
}

// follow runs the example and shows it.
func follow(ctx context.Context, ex recorded.Example, out, errOut *screen.Output) error {
	r, err := ex.Runner()
	if err != nil {
		return err
	}
	defer r.Close()
	shown := terminal.Options{
		Out: out, Err: errOut, Reading: new(terminal.Reading),
		Resume: func(run string) string { return "rlm resume " + run },
		Key:    func() string { return "the recording" }, Meant: func() string { return "" },
	}
	if data, err := trajectory.DataDir(); err == nil { // without a folder, nothing is recorded
		shown.RunsDir = trajectory.RunsDir(data)
	}
	if err := terminal.Follow(ctx, shown, r.Run(ctx, ex.Question, ex.Inputs()...)); err != nil {
		return err
	}
	return out.Err()
}
