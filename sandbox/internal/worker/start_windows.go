package worker

import (
	"errors"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// pipes is the connection to the host: standard input and output.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// Started reports whether this process was started as a worker of the kind: it has the marker, and standard input
// is a pipe.
func Started(kind string) (marker string, rw io.ReadWriteCloser, ok bool) {
	marker = os.Getenv(Env)
	if !of(kind, marker) {
		return "", nil, false
	}
	if kind, err := windows.GetFileType(windows.Handle(os.Stdin.Fd())); err != nil || kind != windows.FILE_TYPE_PIPE {
		return "", nil, false
	}
	return marker, pipes{os.Stdin, os.Stdout}, true
}

// descriptor returns -1: there are no descriptors on this system.
func descriptor(io.ReadWriteCloser) int { return -1 }

// contextFile takes over the handle that the host duplicated into this process.
func contextFile(t wire.Text, _ []*os.File) (*os.File, error) {
	if t.Handle == 0 {
		return nil, errors.New("no handle came with it")
	}
	return os.NewFile(uintptr(t.Handle), "context"), nil
}

func mapFile(f *os.File, offset, size int64) ([]byte, error) {
	const granularity = 64 << 10
	skip := offset % granularity
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer func() { _ = windows.CloseHandle(h) }() // the view keeps the mapping alive
	from := uint64(offset - skip)
	addr, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, uint32(from>>32), uint32(from), uintptr(size+skip))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	b := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), size+skip)
	return b[skip:], nil
}
