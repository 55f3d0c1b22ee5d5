//go:build unix

package sandbox

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signal names the signal that ended the process, if one did.
func (p *process) signal() string {
	ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return unix.SignalName(ws.Signal())
}

// freeze stops the process.
func (p *process) freeze() {
	if p.cmd.Process.Signal(syscall.SIGSTOP) == nil {
		p.frozen = true
	}
}

// thaw lets it go on.
func (p *process) thaw() {
	if p.frozen {
		_ = p.cmd.Process.Signal(syscall.SIGCONT) // an error means that it is gone, which is noticed anyway
		p.frozen = false
	}
}
