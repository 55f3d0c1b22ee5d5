package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var weighing = Group{
	Name:  "Start and size",
	About: "package init up to the point where a worker leaves it (`GODEBUG=inittrace=1`), median; the stripped binary, and by whom it grows",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		var worker, whole []float64
		for range max(5, l.Rounds) {
			w, all, err := l.inits(ctx)
			if err != nil {
				return nil, err
			}
			worker, whole = append(worker, w), append(whole, all)
		}
		info, err := os.Stat(l.Program)
		if err != nil {
			return nil, err
		}
		shares, err := l.shares(ctx)
		if err != nil {
			return nil, err
		}
		return []Figure{
			{
				Name: "package init of a worker", Value: median(worker), Unit: "ms", Goal: 4,
				Note: fmt.Sprintf("%.1f ms of the whole program", median(whole)),
			},
			{Name: "the binary", Value: float64(info.Size()) / 1e6, Unit: "MB", Goal: 80, Note: shares},
		}, nil
	},
}

// workerLeaves is the package whose init never returns in a worker: later inits do not run there.
const workerLeaves = "github.com/gorlm/rlm/sandbox"

// inits sums up the time of package inits, in ms.
func (l *Lab) inits(ctx context.Context) (worker, whole float64, err error) {
	cmd, err := l.command(ctx, "version")
	if err != nil {
		return 0, 0, err
	}
	var trace bytes.Buffer
	cmd.Env, cmd.Stderr = append(cmd.Env, "GODEBUG=inittrace=1"), &trace
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("rlm version: %w\n%s", err, trace.Bytes())
	}
	lines := bufio.NewScanner(&trace)
	for lines.Scan() { // init PACKAGE @0.1 ms, 0.02 ms clock, …
		f := strings.Fields(lines.Text())
		if len(f) < 6 || f[0] != "init" {
			continue
		}
		took, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("reading %q: %w", lines.Text(), err)
		}
		if f[1] == workerLeaves {
			worker = whole
		}
		whole += took
	}
	if worker == 0 {
		return 0, 0, fmt.Errorf("the trace of inits does not name %s", workerLeaves)
	}
	return worker, whole, nil
}

// shares reports each module's share of the program, by the sizes of its symbols.
func (l *Lab) shares(ctx context.Context) (string, error) {
	full := filepath.Join(l.Dir, "rlm-symbols")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", full, "./cmd/rlm")
	build.Dir, build.Env = l.Module, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux") // Linux programs are ELF files
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building rlm with symbols: %w\n%s", err, out)
	}
	deps := exec.CommandContext(ctx, "go", "list", "-deps", "-f",
		"{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}the standard library{{end}}", "./cmd/rlm")
	deps.Dir, deps.Env = l.Module, build.Env
	list, err := deps.Output()
	if err != nil {
		return "", fmt.Errorf("listing packages: %w", err)
	}
	module := map[string]string{}
	for line := range strings.Lines(string(list)) {
		pkg, of, _ := strings.Cut(strings.TrimSpace(line), " ")
		module[pkg] = of
	}
	sizes, err := sizesIn(full, func(symbol string) string { return module[packageOf(symbol)] })
	if err != nil {
		return "", err
	}
	modules := make([]string, 0, len(sizes))
	for m := range sizes {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, m := range modules[:min(len(modules), 12)] {
		parts = append(parts, fmt.Sprintf("%s %.1f", m, float64(sizes[m])/1e6))
	}
	return "MB by module: " + strings.Join(parts, ", "), nil
}

// sizesIn sums up the sizes of a program's symbols in its file, by owner.
func sizesIn(program string, owner func(symbol string) string) (map[string]int, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", program, err)
	}
	defer f.Close() // the file was only read
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("reading the symbols of %s: %w", program, err)
	}
	sizes, total := map[string]int{}, 0
	for _, s := range symbols {
		if int(s.Section) < len(f.Sections) && f.Sections[s.Section].Type != elf.SHT_NOBITS {
			sizes[cmp.Or(owner(s.Name), nobody)] += int(s.Size)
			total += int(s.Size)
		}
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			sizes[nobody] += int(s.FileSize)
		}
	}
	sizes[nobody] -= total
	return sizes, nil
}

// nobody is the owner of anything that is not a symbol of a package: texts, types and function tables.
const nobody = "texts, types and tables"

// packageOf is a symbol's package: everything before the first dot after the last slash.
func packageOf(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, "[") // type arguments
	for _, prefix := range []string{"type:.eq.", "type:.hash.", "go:itab.", "type:"} {
		symbol = strings.TrimPrefix(symbol, prefix)
	}
	symbol = strings.TrimLeft(symbol, "*")
	slash := strings.LastIndexByte(symbol, '/')
	dot := strings.IndexByte(symbol[slash+1:], '.')
	if dot < 0 {
		return symbol
	}
	return strings.ReplaceAll(symbol[:slash+1+dot], "%2e", ".")
}
