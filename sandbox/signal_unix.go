//go:build unix

package sandbox

import (
	"syscall"
	"time"

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

// thaw continues a frozen process.
func (p *process) thaw() {
	if p.frozen {
		_ = p.cmd.Process.Signal(syscall.SIGCONT) // on an error the process is gone, which is noticed elsewhere
		p.frozen = false
	}
}

// dump ends the process with a signal that makes it print its goroutines' stacks to stderr.
func (p *process) dump() {
	if p.cmd.Process.Signal(syscall.SIGQUIT) != nil {
		return
	}
	select {
	case <-p.exited:
	case <-time.After(time.Second):
	}
}
