package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// results are the figures that benchmarks of `go test` reported, by name and unit.
type results map[string]map[string]float64

// benchmark runs a package's benchmarks that match, and returns their figures, each the minimum of three runs.
func (l *Lab) benchmark(ctx context.Context, pkg, match string) (results, error) {
	parts := strings.Split(match, "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", strings.Join(parts, "/"), "-benchtime", "1x",
		"-count", "3", "-timeout", "30m", pkg)
	cmd.Dir, cmd.Env = l.Module, append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w\n%s", match, pkg, err, out)
	}
	r := results{}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "Benchmark") {
			r.add(strings.Fields(line))
		}
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("%s has no %s", pkg, match)
	}
	return r, nil
}

// add reads a line of output: a name, the number of iterations, and pairs of value and unit.
func (r results) add(fields []string) {
	if r[fields[0]] == nil {
		r[fields[0]] = map[string]float64{}
	}
	for i := 2; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			continue
		}
		if old, ok := r[fields[0]][fields[i+1]]; !ok || value < old {
			r[fields[0]][fields[i+1]] = value
		}
	}
}

// most is the largest value of a unit among all benchmarks.
func (r results) most(unit string) (value float64) {
	for _, one := range r {
		value = max(value, one[unit])
	}
	return value
}

// slowest is the name of the benchmark with the largest value of a unit.
func (r results) slowest(unit string) (name string) {
	for n, one := range r {
		if one[unit] == r.most(unit) {
			name = n
		}
	}
	_, name, _ = strings.Cut(name, "/")
	if cut := strings.LastIndexByte(name, '-'); cut > 0 { // remove the number of processors
		name = name[:cut]
	}
	return strings.ReplaceAll(name, "_", " ")
}
