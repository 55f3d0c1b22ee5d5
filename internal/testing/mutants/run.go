package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	workers = 2
	quick   = time.Second // tests that take less are run first
	// A mutant's tests may take so many times as long as without it, and the room's grace on top.
	slower = 10
)

// test is a test of a room, with what it came across.
type test struct {
	name string
	took time.Duration
	seen map[int]bool
}

// try runs a room's tests with each of its mutants.
func (r *room) try(say func(string, ...any)) error {
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	bin, err := r.buildWoven(tmp)
	if err != nil {
		return err
	}
	began := time.Now()
	if out, err := r.run(bin, "0", 10*time.Minute, "."); err != nil {
		return fmt.Errorf("the tests of %s fail without a change: %w\n%s", r.dir, err, out)
	}
	say("built, and the tests took %s", time.Since(began).Round(time.Millisecond))
	tests, err := r.record(bin, tmp)
	if err != nil {
		return err
	}
	jobs := make(chan *mutant)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for m := range jobs {
				r.tryOne(m, bin, tmp, tests)
				say("%s/%s:%d:%d %s %s", r.dir, m.File, m.Line, m.Column, m.Type, m.Status)
			}
		})
	}
	for _, m := range r.all {
		if m.twin == nil {
			jobs <- m
		}
	}
	close(jobs)
	group.Wait()
	for _, m := range r.all {
		if m.twin != nil {
			m.Status = m.twin.Status
		}
	}
	return nil
}

// buildWoven builds the tests of a room with all mutants that can be woven into it.
func (r *room) buildWoven(tmp string) (string, error) {
	bin, skip := filepath.Join(tmp, "woven.test"), map[string]map[int]bool{}
	position := regexp.MustCompile(`(?m)([a-zA-Z0-9_]+\.go):(\d+):\d+: `)
	for {
		files := map[string]string{filepath.Join(r.dir, "zz_mutants.go"): "package " + r.pkg.Name + helpers}
		for _, f := range r.files {
			files[f.path] = (&weaver{room: r, file: f, skip: skip[f.name]}).weave()
		}
		out, err := r.build(bin, tmp, "woven", files)
		if err == nil {
			return bin, nil
		}
		more := false
		for _, at := range position.FindAllStringSubmatch(out, -1) {
			line, _ := strconv.Atoi(at[2])
			if skip[at[1]] == nil {
				skip[at[1]] = map[int]bool{}
			}
			more = more || !skip[at[1]][line]
			skip[at[1]][line] = true
		}
		if !more {
			return "", fmt.Errorf("build %s with its mutants: %w\n%s", r.dir, err, out)
		}
	}
}

// build builds a room's tests with other texts for some files.
func (r *room) build(bin, tmp, name string, files map[string]string) (string, error) {
	overlay := map[string]string{}
	for path, text := range files {
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		overlay[abs] = filepath.Join(tmp, name+"-"+filepath.Base(path))
		if err := os.WriteFile(overlay[abs], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	listFile := filepath.Join(tmp, name+".json")
	if err := os.WriteFile(listFile, list, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay", listFile, "-o", bin, ".")
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run runs some of a room's tests with a mutant.
func (r *room) run(bin, mutant string, limit time.Duration, tests ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-test.failfast", "-test.run", strings.Join(tests, "|"))
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), active+"="+mutant,
		"RAPID_NOFAILFILE=true", "RAPID_SEED=1", "RAPID_SHRINKTIME=0s") // nothing that other runs would depend on
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), err
}

// record runs each test alone and returns them, quick ones first.
func (r *room) record(bin, tmp string) (tests []*test, err error) {
	list := exec.Command(bin, "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = r.dir
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", r.dir, err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		t, began, file := &test{name: "^" + name + "$", seen: map[int]bool{}}, time.Now(), filepath.Join(tmp, "seen")
		os.Remove(file)
		// A test that fails while it is recorded has come across what it has.
		_, _ = r.run(bin, file, 10*time.Minute, t.name)
		t.took = time.Since(began)
		seen, _ := os.ReadFile(file)
		for id := range strings.FieldsSeq(string(seen)) {
			n, _ := strconv.Atoi(id)
			t.seen[n] = true
		}
		tests = append(tests, t)
	}
	slices.SortStableFunc(tests, func(a, b *test) int { return int(a.took - b.took) })
	return tests, nil
}

// tryOne runs the tests that come across a mutant: the quick ones, then the others, and last the examples, which go
// runs even if a test has failed.
func (r *room) tryOne(m *mutant, bin, tmp string, tests []*test) {
	if !m.woven {
		bin = filepath.Join(tmp, fmt.Sprintf("alone%d.test", m.id))
		defer os.Remove(bin)
		i := slices.IndexFunc(r.files, func(f *source) bool { return f.name == m.File })
		files := map[string]string{r.files[i].path: r.files[i].alone(m)}
		if _, err := r.build(bin, tmp, strconv.Itoa(m.id), files); err != nil {
			m.Status = notViable
			return
		}
	}
	var groups [3][]string
	var took [3]time.Duration
	for _, t := range tests {
		i := 0
		switch {
		case m.woven && !t.seen[m.id]:
			continue
		case strings.HasPrefix(t.name, "^Example"):
			i = 2
		case t.took >= quick:
			i = 1
		}
		groups[i], took[i] = append(groups[i], t.name), took[i]+t.took
	}
	m.Status = lived
	for i, names := range groups {
		if len(names) == 0 || m.Status != lived {
			continue
		}
		_, err := r.run(bin, strconv.Itoa(m.id), slower*took[i]+r.grace, names...)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			m.Status = timedOut
		case err != nil:
			m.Status = killed
		}
	}
}
