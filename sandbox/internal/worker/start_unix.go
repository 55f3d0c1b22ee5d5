//go:build unix

package worker

import (
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// socketFD is the descriptor of a worker's connection to its host.
const socketFD = 3

// Started reports whether this process was started as a worker of the kind. The marker alone does not suffice,
// because anyone can set it.
func Started(kind string) (marker string, rw io.ReadWriteCloser, ok bool) {
	marker = os.Getenv(Env)
	if !of(kind, marker) {
		return "", nil, false
	}
	if kind, err := unix.GetsockoptInt(socketFD, unix.SOL_SOCKET, unix.SO_TYPE); err != nil ||
		kind != unix.SOCK_STREAM {
		return "", nil, false
	}
	file := os.NewFile(socketFD, "host")
	conn, err := net.FileConn(file)
	if err != nil {
		return "", nil, false
	}
	_ = file.Close()
	return marker, conn, true
}

// descriptor returns the file descriptor of the connection.
func descriptor(rw io.ReadWriteCloser) int {
	fd := -1
	if c, ok := rw.(*net.UnixConn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(p uintptr) { fd = int(p) })
		}
	}
	return fd
}

func contextFile(_ wire.Text, files []*os.File) (*os.File, error) {
	if len(files) != 1 {
		return nil, errors.New("no file came with it")
	}
	return files[0], nil
}

func mapFile(f *os.File, offset, size int64) ([]byte, error) {
	skip := offset % int64(os.Getpagesize()) // a mapping begins at a page
	b, err := unix.Mmap(int(f.Fd()), offset-skip, int(size+skip), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b[skip:], nil
}
