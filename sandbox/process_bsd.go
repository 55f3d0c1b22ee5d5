//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// canNamespace says that there are no namespaces here.
const canNamespace = false

// executable is the running program.
func executable() (string, error) { return os.Executable() }

// confine starts the worker in a session of its own. It dies with its host when the connection ends.
func confine(cmd *exec.Cmd, _ startMode) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// shedPrivileges has nothing to shed here.
func shedPrivileges() error { return nil }

// verifyLayers has nothing to check: there are no layers here.
func verifyLayers(int, *jail.Layers, bool) (gone bool) { return false }

// threadsEnd has nothing to wait for: no threads were looked at.
func threadsEnd(int) {}

// shareable is the file itself.
func (p *process) shareable(f *os.File) (*os.File, uint64, error) { return f, 0, nil }

// obstacle knows nothing of what keeps this program from being started again.
func obstacle(error) string { return "" }
