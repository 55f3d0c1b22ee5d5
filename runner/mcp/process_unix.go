//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup shields a server from a Ctrl-C meant for this program: it may be in the middle of a call.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill kills the process and its children.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
