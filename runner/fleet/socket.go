package fleet

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
)

const socketName = "socket"

// longestSocket is how long the path of a socket may be everywhere.
const longestSocket = 100

// atSocket calls do with a path of the folder's socket that is short enough for the system: on Linux a folder with a long name has one below
// /proc while it is open.
func atSocket(dir string, do func(path string) error) error {
	path := filepath.Join(dir, socketName)
	if len(path) <= longestSocket || runtime.GOOS != "linux" {
		return do(path)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close() // opened for its number
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketName))
}

// listenSocket makes the socket, which only this user can open. The caller owns the queue: a socket that is there is left from a process
// that was killed.
func listenSocket(dir string) (l net.Listener, err error) {
	err = atSocket(dir, func(path string) error {
		_ = os.Remove(path) // if it is there; listening says why it cannot be made
		if l, err = net.Listen("unix", path); err != nil {
			return err
		}
		// Its path may be one that is gone when the listener is closed.
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return os.Chmod(path, 0o600)
	})
	return l, err
}

func dialSocket(dir string) (conn net.Conn, err error) {
	err = atSocket(dir, func(path string) error {
		conn, err = net.Dial("unix", path)
		return err
	})
	return conn, err
}
