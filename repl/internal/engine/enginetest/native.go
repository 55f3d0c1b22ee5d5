package enginetest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest/random"
)

// compiled builds random programs with the real compiler, all in one binary, and returns their outputs. faults
// lists the errors of programs without output.
func compiled(dir string, programs []random.Program) (wants map[int64]string, faults []error, err error) {
	var list strings.Builder
	files := map[string]string{"go.mod": "module programs\n\ngo 1.26\n", "helpers.go": random.Helpers()}
	for _, p := range programs {
		files[fmt.Sprintf("p%d.go", p.Seed)] = p.Part()
		fmt.Fprintf(&list, "\t{%d, %s},\n", p.Seed, p.Entry())
	}
	files["main.go"] = fmt.Sprintf(nativeMain, list.String())
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, nil, err
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-gcflags=-N -l -dwarf=false", "-o", "programs", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("compiling %d random programs: %w\n%.2000s", len(programs), err, out)
	}
	wants, faults = run(filepath.Join(dir, "programs"), programs)
	return wants, faults, nil
}

// run runs the programs of a binary. If one of them ends the whole binary, that is a fault of the generator: run
// records it, and starts the binary again with the next program.
func run(binary string, programs []random.Program) (wants map[int64]string, faults []error) {
	wants = map[int64]string{}
	for at := 0; at < len(programs); at++ {
		cmd := exec.Command(binary, strconv.Itoa(at))
		cmd.Env = append(os.Environ(), "GOMEMLIMIT=1GiB", "GOTRACEBACK=none")
		out, err := cmd.Output()
		maps.Copy(wants, split(string(out)))
		if err == nil {
			break
		}
		for _, ok := wants[programs[at].Seed]; ok && at < len(programs)-1; _, ok = wants[programs[at].Seed] {
			at++
		}
		faults = append(faults, fmt.Errorf("seed %d: its binary does not survive it: %w", programs[at].Seed, err))
	}
	return wants, faults
}

// nativeMain runs each program on a separate goroutine, beginning with the one whose index is the argument. It
// exits when a program takes more than twenty seconds or uses more than two gigabytes.
const nativeMain = `package main

import (
	"fmt"
	"os"
	"runtime/metrics"
	"strconv"
	"time"
)

func main() {
	first, _ := strconv.Atoi(os.Args[1])
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for _, p := range []struct { seed int64; run func() }{
%s	}[first:] {
		fmt.Printf("\n@@%%d\n", p.seed)
		done := make(chan bool)
		go func() { defer close(done); p.run() }()
		look, end := time.NewTicker(50*time.Millisecond), time.After(20*time.Second)
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-look.C:
				if metrics.Read(memory); memory[0].Value.Uint64() > 2<<30 {
					os.Exit(3)
				}
			case <-end:
				os.Exit(4)
			}
		}
		look.Stop()
		fmt.Print("\n@@\n")
	}
}
`

// split returns the output of each program, by seed; the outputs are separated by marks.
func split(out string) map[int64]string {
	parts := map[int64]string{}
	for out != "" {
		_, rest, ok := strings.Cut(out, "\n@@")
		if !ok {
			break
		}
		number, rest, _ := strings.Cut(rest, "\n")
		text, rest, ok := strings.Cut(rest, "\n@@\n")
		if seed, err := strconv.ParseInt(number, 10, 64); err == nil && ok {
			parts[seed] = text
		}
		out = "\n" + rest
		if !strings.HasPrefix(rest, "\n") {
			out = rest
		}
	}
	return parts
}
