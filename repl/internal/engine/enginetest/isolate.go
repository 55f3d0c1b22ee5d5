package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// judged is what became of a program, as the process that ran it says.
type judged struct {
	Verdict Verdict
	Text    string
}

// Main is what TestMain of an engine calls. Run by Goroot, the test binary runs one program and reports on
// it: programs may end their process in ways that no test survives.
func Main(m *testing.M, make Maker) {
	if path := os.Getenv("RLM_PROGRAM"); path != "" {
		b, _ := json.Marshal(judge(make, path))
		fmt.Printf("\n@@%s\n", b)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// judge runs the program at path and compares it with the file of expected output beside it.
func judge(make Maker, path string) judged {
	src, err := os.ReadFile(path)
	if err != nil {
		return judged{Different, err.Error()}
	}
	want, _ := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out")
	r := RunProgram(make, string(src), 20*time.Second)
	text := r.String()
	if len(text) > 400 {
		text = text[:400]
	}
	switch {
	case r.Err != nil:
		return judged{Different, text}
	case r.Refused != nil:
		return judged{Refused, text}
	case r.Outcome.Panic == nil && !r.Outcome.Cancelled && r.Out == string(want) && r.Exit == 0:
		return judged{Equal, ""}
	case r.Outcome.Cancelled && strings.HasPrefix(string(want), r.Out):
		return judged{Slow, text}
	}
	return judged{Different, text}
}

// runAll judges programs, each in a process of its own, two at a time.
func runAll(paths []string) []judged {
	out := make([]judged, len(paths))
	next := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range next {
				out[i] = isolate(paths[i])
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

func isolate(path string) judged {
	self, err := os.Executable()
	if err != nil {
		return judged{Different, err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), "RLM_PROGRAM="+path, "GOMEMLIMIT=1GiB")
	b, err := cmd.CombinedOutput()
	_, tail, ok := strings.Cut(string(b), "\n@@")
	var v judged
	if ok && json.Unmarshal([]byte(strings.TrimSpace(tail)), &v) == nil {
		return v
	}
	text := string(b)
	if len(text) > 300 {
		text = text[:300]
	}
	return judged{Different, fmt.Sprintf("the process died: %v %s", err, text)}
}
