//go:build unix

package grounding_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/grounding"
)

// long returns a run of ten turns that each print 100 kB, with an answer of twenty values, half of which are in
// the output.
func long() grounding.Run {
	run := grounding.Run{Question: "Which service fails most, when and why?", Shown: "app.log, 20 MB, 214000 lines"}
	for turn := range 10 {
		var out strings.Builder
		for i := 0; out.Len() < 100<<10; i++ {
			switch i % 5 {
			case 0:
				fmt.Fprintf(&out, "2024-05-%02dT08:%02d:%02dZ ERROR checkout-%d: dial tcp 10.0.3.%d:5432: i/o timeout after %d ms\n", i%28+1, i%60, i*7%60, i%40, i%250, i*37%9000)
			case 1:
				fmt.Fprintf(&out, "2024-05-%02dT08:%02d:%02dZ INFO request %x finished in %d ms (%d bytes)\n", i%28+1,
					i%60, i*7%60, i*7919, i*31%700, i*911%90000)
			default:
				fmt.Fprintf(&out, "The pump of unit %d was serviced by A. Novak, who found %d worn seals and wrote a note about it.\n", i%90, i%7)
			}
		}
		fmt.Fprintf(&out, "service %d: Mira Holt %d\n", turn, 88000+turn)
		run.Turns = append(run.Turns, grounding.Turn{Number: turn + 1, Cells: []grounding.Cell{{
			Number: turn + 1, Code: "for _, l := range grep(`timeout`) {\n\tfmt.Println(l)\n}", Output: out.String(),
		}}})
	}
	var answer strings.Builder
	for i := range 5 {
		fmt.Fprintf(&answer, "- Mira Holt counted %d, Ada Quill-%d %d on %d June 2023.\n", 88000+2*i, i, 71003+i, i+3)
	}
	run.Answer = answer.String()
	return run
}

// BenchmarkRun also reports processor time, because the machine may be busy.
func BenchmarkRun(b *testing.B) {
	run := long()
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	before := processor()
	for b.Loop() {
		grounding.Trace(run)
	}
	b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-ns/op")
}

func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestOnlyLinesWithAValueAreRead: lines that have other numbers than the answer cost nothing but a glance, which
// allocates nothing.
func TestOnlyLinesWithAValueAreRead(t *testing.T) {
	allocated := func(lines int) float64 {
		var log strings.Builder
		for i := range lines {
			fmt.Fprintf(&log, "2024-05-%02dT08:%02d:%02dZ INFO host-%d retry %d/9 took %d ms, note 3e%x\n",
				i%28+1, i/60%60, i%60, i%40, i%9, 4000+i%900, i)
		}
		run := grounding.Run{
			Question: "What happened?", Answer: "Mira Holt left on 3 June 2024 or 3 July, and 88,000 notes remain.",
			Turns: []grounding.Turn{{Number: 1, Cells: []grounding.Cell{
				{Number: 1, Code: "fmt.Println(context)", Output: log.String()},
			}}},
		}
		return testing.AllocsPerRun(3, func() { grounding.Trace(run) })
	}
	assert.InDelta(t, allocated(100), allocated(5000), 1000)
}

// TestNoAllocationIsLarge bounds the size of each allocation of a trace. The profile has only the mean of each
// site, which is the size if all its objects are alike.
func TestNoAllocationIsLarge(t *testing.T) {
	run := long()
	type site struct{ bytes, objects int64 }
	sites := func() map[[32]uintptr]site {
		runtime.GC()
		runtime.GC()
		records := make([]runtime.MemProfileRecord, 1<<16)
		n, ok := runtime.MemProfile(records, true)
		require.True(t, ok)
		out := map[[32]uintptr]site{}
		for _, r := range records[:n] {
			out[r.Stack0] = site{r.AllocBytes, r.AllocObjects}
		}
		return out
	}
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	before := sites()
	grounding.Trace(run)
	largest := int64(0)
	for stack, s := range sites() {
		b := before[stack]
		frames := runtime.CallersFrames(stack[:])
		for s.objects > b.objects {
			f, more := frames.Next()
			if strings.HasSuffix(f.Function, "grounding.Trace") {
				largest = max(largest, (s.bytes-b.bytes)/(s.objects-b.objects))
			}
			if !more {
				break
			}
		}
	}
	t.Logf("largest single allocation: %d bytes", largest)
	assert.Less(t, largest, int64(1<<20))
}
