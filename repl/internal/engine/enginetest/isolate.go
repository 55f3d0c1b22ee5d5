package enginetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// task is a program to run and its expected output.
type task struct {
	Path, Want string
	Limit      time.Duration
}

// judgement is the result of a program, as reported by the process that ran it.
type judgement struct {
	Verdict Verdict
	Text    string
	// Last is set if the process ends after this program, which may have left something running.
	Last bool
}

// Main is called by TestMain of an engine. If Goroot or Random started the test binary, Main runs programs and
// reports on them, because a program may end its process in a way that no test survives.
func Main(m *testing.M, make Maker) {
	if os.Getenv("RLM_PROGRAMS") == "" {
		os.Exit(m.Run())
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var t task
		if in.Decode(&t) != nil {
			os.Exit(0)
		}
		v := judge(make, t)
		b, _ := json.Marshal(v)
		fmt.Printf("\n@@%s\n", b)
		if v.Last {
			os.Exit(0)
		}
	}
}

// judge runs a program and compares it with its expected output.
func judge(make Maker, t task) judgement {
	src, err := os.ReadFile(t.Path)
	if err != nil {
		return judgement{Different, err.Error(), false}
	}
	want, _ := os.ReadFile(t.Want)
	r := RunProgram(make, string(src), t.Limit)
	ended := r.Outcome.Panic == nil && !r.Outcome.Cancelled
	switch {
	case r.Err != nil:
		return judgement{Different, brief(r.String()), true}
	case r.Refused != nil:
		return judgement{Refused, brief(r.Refused.Error()), false}
	case r.Outcome.Inexact:
		return judgement{Refused, brief(fmt.Sprint(Left, r.Outcome.Panic)), true}
	case ended && r.Out == string(want) && r.Exit == 0:
		return judgement{Equal, "", r.Outcome.Running > 0}
	case r.Outcome.Cancelled && strings.HasPrefix(string(want), r.Out):
		return judgement{Slow, "", true}
	case ended && r.Exit == 0:
		return judgement{Different, difference(r.Out, string(want)), true}
	}
	text := r.String()
	return judgement{Different, text[max(0, len(text)-400):], true}
}

func brief(s string) string { return s[:min(len(s), 400)] }

// judges describes the processes that judge programs. If binary is empty, they run the test binary itself.
type judges struct {
	binary string
	env    []string // added to the environment of these processes
}

// runAll judges programs, two at a time, and calls done for each.
func (by judges) runAll(tasks []task, done func(int, judgement)) {
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() {
			var p *process
			for i := range next {
				if p == nil {
					p = by.start()
				}
				v := p.judge(tasks[i])
				if v.Last {
					p.end()
					p = nil
				}
				mu.Lock()
				done(i, v)
				mu.Unlock()
			}
			if p != nil {
				p.end()
			}
		})
	}
	for i := range tasks {
		next <- i
	}
	close(next)
	wg.Wait()
}

// process is a test binary that judges programs.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	err    error
}

func (by judges) start() *process {
	p := &process{}
	binary, err := by.binary, error(nil)
	if binary == "" {
		binary, err = os.Executable()
	}
	if err != nil {
		return &process{err: err}
	}
	p.cmd = exec.Command(binary)
	p.cmd.Env = append(append(os.Environ(), "RLM_PROGRAMS=1", "GOMEMLIMIT=1GiB", "GOTRACEBACK=single"), by.env...)
	p.cmd.Stderr = &p.stderr
	p.in, p.err = p.cmd.StdinPipe()
	if p.err != nil {
		return p
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.err = err
		return p
	}
	p.out = bufio.NewReader(out)
	p.err = p.cmd.Start()
	return p
}

// judge sends a program to the process and waits for the verdict, which is Different if the process dies or does
// not answer.
func (p *process) judge(t task) judgement {
	if p.err != nil {
		return judgement{Different, p.err.Error(), true}
	}
	b, _ := json.Marshal(t)
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		return judgement{Different, "the process is gone: " + err.Error(), true}
	}
	watch := time.AfterFunc(2*t.Limit+20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer watch.Stop()
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			_ = p.cmd.Wait()
			return judgement{Different, "the process died: " + brief(p.stderr.String()), true}
		}
		var v judgement
		if text, ok := strings.CutPrefix(line, "@@"); ok && json.Unmarshal([]byte(text), &v) == nil {
			return v
		}
	}
}

func (p *process) end() {
	if p.err == nil {
		_ = p.in.Close()
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}
