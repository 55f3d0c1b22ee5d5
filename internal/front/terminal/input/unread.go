package input

import (
	"io"
	"os"
)

// HoldsUnread reports whether a pipe or a socket has data, or a file has data and nothing of it has been read. It
// neither reads, because others may read the data later, nor blocks, because a pipe's writer may never write.
func HoldsUnread(f *os.File) bool {
	info, err := f.Stat()
	switch {
	case err != nil:
		return false
	case info.Mode().IsRegular():
		at, err := f.Seek(0, io.SeekCurrent)
		return err == nil && at == 0 && info.Size() > 0
	}
	return info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 && (info.Size() > 0 || pending(f) > 0)
}
