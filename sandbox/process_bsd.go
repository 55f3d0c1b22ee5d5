//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// canNamespace is false: there are no namespaces on this system.
const canNamespace = false

// executable returns the path of the running program.
func executable() (string, error) { return os.Executable() }

// confine starts the worker in a new session. The worker exits when its connection to the host ends.
func confine(cmd *exec.Cmd, _ startMode) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// shedPrivileges does nothing on this system.
func shedPrivileges() error { return nil }

// verifyLayers does nothing: there are no layers on this system.
func verifyLayers(int, *jail.Layers, bool) {}

// threadsEnd does nothing: no threads were checked.
func threadsEnd(int) {}

// shareable returns the file itself.
func (p *process) shareable(f *os.File) (*os.File, uint64, error) { return f, 0, nil }

// obstacle recognises nothing on this system.
func obstacle(error) string { return "" }
