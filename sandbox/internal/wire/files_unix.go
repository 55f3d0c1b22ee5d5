//go:build unix

package wire

import (
	"cmp"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// sendFiles writes p with files attached to its first byte.
func sendFiles(w io.Writer, p []byte, files []*os.File) (int, error) {
	u, ok := w.(*net.UnixConn)
	if !ok {
		return 0, errors.New("files need a Unix socket")
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	n, _, err := u.WriteMsgUnix(p, syscall.UnixRights(fds...), nil)
	return n, err
}

// fileReader reads bytes and collects the files sent with them.
type fileReader struct {
	conn  *net.UnixConn
	files []*os.File
}

func (r *fileReader) Read(p []byte) (int, error) {
	var oob [64]byte
	n, oobn, _, _, err := r.conn.ReadMsgUnix(p, oob[:])
	err = cmp.Or(err, r.keep(oob[:oobn]))
	if errors.Is(err, io.EOF) { // ReadMsgUnix wraps io.EOF, Read does not
		err = io.EOF
	}
	return n, err
}

func (r *fileReader) keep(oob []byte) error {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return err
		}
		for _, fd := range fds {
			r.files = append(r.files, os.NewFile(uintptr(fd), "context"))
		}
	}
	return nil
}

func (r *fileReader) take(n int) []*os.File {
	n = min(n, len(r.files))
	out := r.files[:n:n]
	r.files = r.files[n:]
	return out
}
