// Command report measures what runs of rlm cost and writes a page of figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/bench"
)

func main() {
	if asked, err := bench.Copy(); asked {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	out := flag.String("o", "", "write the page to this file (default: stdout)")
	rounds := flag.Int("rounds", 21, "how often to run each process; medians count")
	only := flag.String("only", "", "measure only groups whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := report(ctx, *out, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		stop()
		os.Exit(1)
	}
}

func report(ctx context.Context, out string, rounds int, only string) error {
	if rounds < 1 || flag.NArg() > 0 {
		return errors.New("-rounds must be at least 1, and no arguments are allowed")
	}
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: run this in its folder: %w", err)
	}
	lab, err := bench.Open(ctx, strings.TrimSpace(string(module)), rounds)
	if err != nil {
		return err
	}
	defer lab.Close()
	lab.Soak = os.Getenv("RLM_SOAK") != ""
	before := load()
	var measured []bench.GroupResult
	for _, g := range bench.Groups() {
		if !strings.Contains(strings.ToLower(g.Name), strings.ToLower(only)) {
			continue
		}
		began := time.Now()
		fmt.Fprintf(os.Stderr, "%s …", g.Name)
		figures, err := g.Measure(ctx, lab)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(os.Stderr, " %s\n", time.Since(began).Round(time.Second))
		measured = append(measured, bench.GroupResult{Group: g, Figures: figures, Err: err})
	}
	page := bench.Page(machine(before), measured)
	if out == "" {
		_, err = os.Stdout.WriteString(page)
		return err
	}
	return os.WriteFile(out, []byte(page), 0o644)
}

// machine describes where and when the figures were measured.
func machine(before string) string {
	text := fmt.Sprintf("Measured %s with %s on %s/%s, %d processors%s", time.Now().Format(time.DateOnly),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		text += ", commit " + strings.TrimSpace(string(commit))
	}
	if before != "" {
		text += fmt.Sprintf("; load %s before and %s after", before, load())
	}
	return text + "."
}

// load is the load average of the last minute, if the system has it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return " (" + strings.TrimLeft(strings.TrimSpace(name), ": \t") + ")"
		}
	}
	return ""
}
