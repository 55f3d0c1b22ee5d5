package files

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
)

// longestSocket is the maximal length of a socket's path on all systems.
const longestSocket = 100

// atSocket calls do with a path of a socket that is short enough for the system: on Linux an open folder has a
// short name below /proc.
func atSocket(path string, do func(path string) error) error {
	if len(path) <= longestSocket || runtime.GOOS != "linux" {
		return do(path)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close() // only its descriptor's number is used
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(path)))
}

// ListenSocket creates a socket that only this user can open. The caller owns the path: an existing socket is a
// leftover of a killed process. The socket stays when the listener is closed.
func ListenSocket(path string) (l net.Listener, err error) {
	err = atSocket(path, func(path string) error {
		_ = os.Remove(path) // if it exists; listening reports other problems
		if l, err = net.Listen("unix", path); err != nil {
			return err
		}
		// The path may be invalid by the time the listener is closed.
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return os.Chmod(path, 0o600)
	})
	if err != nil && l != nil {
		err = errors.Join(err, l.Close())
	}
	return l, err
}

// DialSocket connects to a socket.
func DialSocket(path string) (conn net.Conn, err error) {
	err = atSocket(path, func(path string) error {
		conn, err = net.Dial("unix", path)
		return err
	})
	return conn, err
}
