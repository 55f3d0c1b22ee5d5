package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// verifyLayers removes from a worker's own report whatever the kernel does not confirm, for each of the worker's
// threads or only for the first. The kernel reports nothing about the root folder and landlock.
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
		switch err := unix.Prlimit(pid, what, nil, &now); {
		case err != nil && os.Getuid() != os.Geteuid():
			deny(&l.Rlimits, fmt.Sprintf(
				"a setuid program cannot read the limits of workers (started by user %d, it runs as %d); "+
					"start it as the user it should run as", os.Getuid(), os.Geteuid()))
		case err != nil:
			deny(&l.Rlimits, fmt.Sprintf("limit %d cannot be read: %v", what, err))
		case now.Max > most:
			deny(&l.Rlimits, fmt.Sprintf("limit %d is %d", what, now.Max))
		}
	}
	if !l.Namespaces {
		l.EmptyRoot = false
	}
}

// threadsEnd waits until a process whose threads were checked has ended, and a moment longer. Checking a thread
// creates entries in /proc that the thread removes when it ends. If the process is reaped before that, the kernel
// waits for the threads in a busy loop: 15 ms if the machine is idle, 300 ms if no processor is free.
func threadsEnd(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	time.Sleep(2 * time.Millisecond)
}

// threadsOf reads the kernel's view of a process's threads: of each, or only of the first.
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
			continue // the thread has ended
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
