package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// verifyLayers takes away from a worker's own report what the kernel does not confirm: of each of its threads, or of the first one alone.
// Of the root folder and of landlock the kernel tells nobody anything.
func verifyLayers(pid int, l *jail.Layers, each bool) {
	deny := func(layer *bool, why string) {
		if *layer {
			*layer = false
			l.Why = append(l.Why, "verification: "+why)
		}
	}
	threads, err := threadsOf(pid, each)
	if err != nil {
		l.Why = append(l.Why, "verification: "+err.Error())
		*l = jail.Layers{Why: l.Why}
		return
	}
	const none = "0000000000000000"
	confirm := func(layer *bool, field, want string) {
		for _, t := range threads {
			if t[field] != want {
				deny(layer, fmt.Sprintf("the kernel reports %s %q", field, t[field]))
				return
			}
		}
	}
	confirm(&l.Seccomp, "Seccomp", "2")
	confirm(&l.NoNewPrivs, "NoNewPrivs", "1")
	for _, set := range []string{"CapEff", "CapPrm", "CapInh", "CapAmb"} {
		confirm(&l.NoCaps, set, none)
	}
	confirm(&l.Namespaces, "NStgid", fmt.Sprintf("%d\t1", pid))
	for what, most := range jail.Rlimits() {
		var now unix.Rlimit
		if err := unix.Prlimit(pid, what, nil, &now); err != nil || now.Max > most {
			deny(&l.Rlimits, fmt.Sprintf("limit %d is %d (%v)", what, now.Max, err))
		}
	}
	if !l.Namespaces {
		l.EmptyRoot = false
	}
}

// threadsOf reads what the kernel says of the threads of a process: of each, or of the first one alone.
func threadsOf(pid int, each bool) ([]map[string]string, error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	if !each {
		first, err := statusOf(dir)
		return []map[string]string{first}, err
	}
	dir += "/task"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var threads []map[string]string
	for _, e := range entries {
		status, err := statusOf(dir + "/" + e.Name())
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return nil, err
		}
		threads = append(threads, status)
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("process %d is gone", pid)
	}
	return threads, nil
}

// statusOf reads the fields of a thread's status from its folder.
func statusOf(dir string) (map[string]string, error) {
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return nil, err
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		fields[name] = value
	}
	return fields, nil
}
