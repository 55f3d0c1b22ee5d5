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

// bodies is how many of the programs of testdata/speed make the geometric mean; the rest have bounds of their own.
const bodies = 12

// Speed measures the programs of testdata/speed natively, on CPython and on engines, in one run, and prints a table of
// seconds and of ratios to CPython. Each program measures itself, without its preparation, and prints a result,
// which must be the same everywhere.
func Speed(b *testing.B, engines map[string]Maker, order []string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Log("SKIPPED CPython: there is no python3, so that the table has no ratios")
	}
	programs, err := fs.Glob(testdata, "testdata/speed/*.go")
	require.NoError(b, err)
	columns := append([]string{"native", "CPython"}, order...)
	logs := map[string]float64{}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "program\t%s\t%s\t\n", strings.Join(columns, "\t"), strings.Join(order, "/CPython\t")+"/CPython")
	for i, file := range programs {
		name := strings.TrimSuffix(path.Base(file), ".go")
		if !strings.Contains(name, os.Getenv("SPEED")) {
			continue
		}
		took := map[string]float64{}
		var result string
		for _, column := range columns {
			var printed string
			switch {
			case column == "native":
				printed = best(func() string { return nativeProgram(b, file) })
			case column == "CPython" && python == "":
				continue
			case column == "CPython":
				printed = best(func() string { return pythonProgram(b, python, strings.TrimSuffix(file, ".go")+".py") })
			default:
				printed = best(func() string { return engineProgram(b, engines[column], file) })
			}
			seconds, rest, err := measured(printed)
			if err != nil {
				b.Errorf("%s on %s: %v", name, column, err)
				continue
			}
			if result == "" {
				result = rest
			}
			require.Equal(b, result, rest, "%s on %s", name, column)
			took[column] = seconds
		}
		row(w, name, took, columns, order)
		for _, e := range order {
			if i < bodies && took["CPython"] > 0 {
				logs[e] += math.Log(took[e] / took["CPython"])
			}
		}
	}
	if python != "" && os.Getenv("SPEED") == "" {
		fmt.Fprintf(w, "geometric mean of the first %d%s", bodies, strings.Repeat("\t", len(columns)+1))
		for _, e := range order {
			fmt.Fprintf(w, "%.2f\t", math.Exp(logs[e]/bodies))
			b.ReportMetric(math.Exp(logs[e]/bodies), e+"/CPython")
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	fmt.Println("\n" + out.String()) // a benchmark's log is cut
}

// best runs a program SPEED_RUNS times, once if that is not set, and returns what the quickest run printed.
func best(run func() string) string {
	runs, _ := strconv.Atoi(os.Getenv("SPEED_RUNS"))
	printed := run()
	for range runs - 1 {
		a, _, _ := measured(printed)
		again := run()
		if s, _, err := measured(again); err != nil || s < a {
			printed = again
		}
	}
	return printed
}

func row(w *tabwriter.Writer, name string, took map[string]float64, columns, engines []string) {
	fmt.Fprint(w, name)
	for _, c := range columns {
		fmt.Fprintf(w, "\t%s", number3(took[c]))
	}
	for _, e := range engines {
		ratio := 0.0
		if took["CPython"] > 0 {
			ratio = took[e] / took["CPython"]
		}
		fmt.Fprintf(w, "\t%s", number3(ratio))
	}
	fmt.Fprintln(w, "\t")
}

func number3(x float64) string {
	if x == 0 {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(x)))), 64)
}

// measured takes the seconds that a program says it took from what it printed.
func measured(printed string) (seconds float64, rest string, err error) {
	line, rest, _ := strings.Cut(printed, "\n")
	text, ok := strings.CutPrefix(line, "took ")
	if !ok {
		return 0, "", fmt.Errorf("it printed %.300s", printed)
	}
	seconds, err = strconv.ParseFloat(text, 64)
	return seconds, rest, err
}

func nativeProgram(b *testing.B, file string) string {
	src, err := testdata.ReadFile(file)
	require.NoError(b, err)
	main := filepath.Join(b.TempDir(), "main.go")
	require.NoError(b, os.WriteFile(main, src, 0o644))
	out, err := exec.Command("go", "run", main).Output()
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

func engineProgram(b *testing.B, make Maker, file string) string {
	src, err := testdata.ReadFile(file)
	require.NoError(b, err)
	runtime.GC()
	return RunProgram(make, string(src), 5*time.Minute).String()
}
