// Package hijack makes workers of a test hostile. Go initialises it before the packages that make honest workers of a process, because it
// comes before them in the alphabet and needs nothing of them; so it can keep a worker from becoming one.
package hijack

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Argument, followed by the path of a file, among the arguments of a host has the next worker that starts do what the file names. That
// worker takes the file away, unless the name has Every in front of it.
const (
	Argument = "hijack="
	Every    = "every "
)

// marker is worker.Env of package sandbox.
const marker = "RLM_WORKER"

var act = taken()

// Act is what this process is to do as a worker; "" if it is none, or an honest one.
func Act() string { return act }

func taken() string {
	if os.Getenv(marker) == "" {
		return ""
	}
	host, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid())) // there is none where there is no /proc
	_, after, found := bytes.Cut(host, []byte("\x00"+Argument))
	if !found {
		return ""
	}
	path, _, _ := bytes.Cut(after, []byte{0})
	name, err := os.ReadFile(string(path))
	if err != nil {
		return ""
	}
	act, every := strings.CutPrefix(string(name), Every)
	if !every && os.Remove(string(path)) != nil { // another one has it
		return ""
	}
	_ = os.Unsetenv(marker)
	return act
}
