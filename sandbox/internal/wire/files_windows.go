package wire

import (
	"errors"
	"io"
	"net"
	"os"
)

func sendFiles(io.Writer, []byte, []*os.File) (int, error) {
	return 0, errors.New("files cannot be sent over a pipe on Windows")
}

// fileReader is a stub: on Windows handles are duplicated into the worker instead.
type fileReader struct{ conn *net.UnixConn }

func (r *fileReader) Read(p []byte) (int, error) { return r.conn.Read(p) }

func (r *fileReader) take(int) []*os.File { return nil }
