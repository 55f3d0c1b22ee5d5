//go:build unix

package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// link is the connection between host and worker: a pair of sockets.
type link struct {
	host  io.ReadWriteCloser
	child *os.File
}

func newLink() (*link, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	l := &link{child: os.NewFile(uintptr(fds[1]), "worker")}
	mine := os.NewFile(uintptr(fds[0]), "host")
	defer func() { _ = mine.Close() }()
	if l.host, err = net.FileConn(mine); err != nil {
		_ = l.child.Close()
		return nil, fmt.Errorf("use a socket: %w", err)
	}
	return l, nil
}

func (l *link) closeChild() { _ = l.child.Close() }
func (l *link) closeHost()  { _ = l.host.Close() }

// attach passes the worker its end, as descriptor 3.
func (l *link) attach(cmd *exec.Cmd) { cmd.ExtraFiles = []*os.File{l.child} }
