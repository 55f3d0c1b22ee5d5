package enginetest

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
)

// bodies is the number of programs of testdata/speed whose ratios are included in the geometric mean; the others
// have separate bounds.
const bodies = 12

// Speed measures the programs of testdata/speed natively, on CPython and on engines, in one run. It prints one
// table of seconds and one of processor seconds (which include garbage collection), with ratios to CPython. Each
// program measures its own run, without its preparation, and prints a result, which must be the same everywhere.
func Speed(b *testing.B, engines map[string]Maker, order []string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Log("SKIPPED CPython: there is no python3, so that the table has no ratios")
	}
	programs, err := fs.Glob(testdata, "testdata/speed/*.go")
	require.NoError(b, err)
	columns := append([]string{"native", "CPython"}, order...)
	wall, cpu := newRatios("time", columns, order), newRatios("processor time", columns, order)
	for i, file := range programs {
		name := strings.TrimSuffix(path.Base(file), ".go")
		if !strings.Contains(name, os.Getenv("SPEED")) {
			continue
		}
		took := map[string]seconds{}
		var result string
		for _, column := range columns {
			var m measurement
			switch {
			case column == "native":
				m = best(func() string { return nativeProgram(b, file) })
			case column == "CPython" && python == "":
				continue
			case column == "CPython":
				m = best(func() string { return pythonProgram(b, python, strings.TrimSuffix(file, ".go")+".py") })
			default:
				m = best(func() string { return engineProgram(b, engines[column], file) })
			}
			if m.err != nil {
				b.Errorf("%s on %s: %v", name, column, m.err)
				continue
			}
			if result == "" {
				result = m.result
			}
			require.Equal(b, result, m.result, "%s on %s", name, column)
			took[column] = m.seconds
		}
		wall.add(name, i < bodies, took, func(s seconds) float64 { return s.wall })
		cpu.add(name, i < bodies, took, func(s seconds) float64 { return s.cpu })
	}
	whole := python != "" && os.Getenv("SPEED") == ""
	fmt.Println("\n" + wall.text(b, whole) + "\n" + cpu.text(b, whole)) // a benchmark's log would be truncated
}

// ratios collects the rows of one table.
type ratios struct {
	unit             string
	columns, engines []string
	rows             strings.Builder
	logs             map[string]float64 // sums of the logarithms of the ratios that are included in the mean
}

func newRatios(unit string, columns, engines []string) *ratios {
	return &ratios{unit: unit, columns: columns, engines: engines, logs: map[string]float64{}}
}

// add writes a program's row. mean reports whether the program is included in the mean.
func (t *ratios) add(name string, mean bool, took map[string]seconds, of func(seconds) float64) {
	t.rows.WriteString(name)
	for _, c := range t.columns {
		t.rows.WriteString("\t" + number3(of(took[c])))
	}
	python := of(took["CPython"])
	for _, e := range t.engines {
		ratio := 0.0
		if python > 0 {
			ratio = of(took[e]) / python
		}
		if mean && ratio > 0 {
			t.logs[e] += math.Log(ratio)
		}
		t.rows.WriteString("\t" + number3(ratio))
	}
	t.rows.WriteString("\t\n")
}

func (t *ratios) text(b *testing.B, whole bool) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\t%s\t%s/CPython\t\n%s", t.unit, strings.Join(t.columns, "\t"),
		strings.Join(t.engines, "/CPython\t"), t.rows.String())
	if whole {
		fmt.Fprintf(w, "geometric mean of the first %d%s", bodies, strings.Repeat("\t", len(t.columns)+1))
		for _, e := range t.engines {
			mean := math.Exp(t.logs[e] / bodies)
			fmt.Fprintf(w, "%.2f\t", mean)
			b.ReportMetric(mean, e+"/CPython-"+strings.ReplaceAll(t.unit, " ", "-"))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	return out.String()
}

// seconds holds the times that a program took.
type seconds struct{ wall, cpu float64 }

// measurement is a program's report about its own run.
type measurement struct {
	seconds
	result string
	err    error
}

// best runs a program SPEED_RUNS times, or once if that is not set, and returns the minimum of each time.
func best(run func() string) measurement {
	runs, _ := strconv.Atoi(os.Getenv("SPEED_RUNS"))
	least := measured(run())
	for range runs - 1 {
		if m := measured(run()); m.err == nil {
			least.wall, least.cpu = min(least.wall, m.wall), min(least.cpu, m.cpu)
		}
	}
	return least
}

func number3(x float64) string {
	if x == 0 {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(x)))), 64)
}

// measured parses the times and the result from a program's output.
func measured(printed string) (m measurement) {
	line, rest, _ := strings.Cut(printed, "\n")
	if _, m.err = fmt.Sscanf(line, "took %g %g", &m.wall, &m.cpu); m.err != nil {
		m.err = fmt.Errorf("it printed %.300s", printed)
	}
	m.result = rest
	return m
}

// The statements with which programs report their time; compiled ones also report processor time with them. On an
// engine, the host's clock measures processor time (engineProgram).
const (
	began      = "began := time.Now()"
	took       = `fmt.Println("took", time.Since(began).Seconds())`
	beganTwice = began + "; used := processorTime()"
	tookTwice  = `fmt.Println("took", time.Since(began).Seconds(), processorTime()-used)`
)

func nativeProgram(b *testing.B, file string) string {
	src, err := testdata.ReadFile(file)
	require.NoError(b, err)
	dir := b.TempDir()
	text := strings.NewReplacer(began, beganTwice, took, tookTwice).Replace(string(src))
	main, clock := filepath.Join(dir, "main.go"), filepath.Join(dir, "clock.go")
	require.NoError(b, os.WriteFile(main, []byte(text), 0o644))
	require.NoError(b, os.WriteFile(clock, []byte("package main\n"+clockSource), 0o644))
	out, err := exec.Command("go", "run", main, clock).Output()
	require.NoError(b, err, file)
	return string(out)
}

func pythonProgram(b *testing.B, python, file string) string {
	src, err := testdata.ReadFile(file)
	require.NoError(b, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "-c", string(src)).Output()
	require.NoError(b, err, file)
	return string(out)
}

// engineProgram runs a program, and adds to its report the processor time between its first and last clock
// readings.
func engineProgram(b *testing.B, make Maker, file string) string {
	src, err := testdata.ReadFile(file)
	require.NoError(b, err)
	runtime.GC()
	var first, last float64
	r := runProgram(make, string(src), 5*time.Minute, func() time.Time {
		if last = ProcessorTime(); first == 0 {
			first = last
		}
		return time.Now()
	})
	line, rest, _ := strings.Cut(r.String(), "\n")
	return fmt.Sprintf("%s %g\n%s", line, last-first, rest)
}
