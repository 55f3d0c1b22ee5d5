// Package hijack makes workers of a test hostile. It is initialised before the packages that turn a process into
// an honest worker, because it precedes them in the alphabet and does not import them; so it can act first.
package hijack

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Argument is followed by a file's path in a host's arguments: the next worker to start performs the act that the
// file names. That worker removes the file, unless the act is preceded by Every.
const (
	Argument = "hijack="
	Every    = "every "
)

// marker is worker.Env of package sandbox.
const marker = "RLM_WORKER"

var act = taken()

// Act is what this process should do as a worker; "" if it is honest or not a worker.
func Act() string { return act }

func taken() string {
	if os.Getenv(marker) == "" {
		return ""
	}
	host, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid())) // empty where there is no /proc
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
	if !every && os.Remove(string(path)) != nil { // another worker performs the act
		return ""
	}
	_ = os.Unsetenv(marker)
	return act
}
