//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl-C that is meant for this program from a server, which may be in the middle of a call.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the process and what it started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
