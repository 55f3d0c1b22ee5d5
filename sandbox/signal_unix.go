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
