package input

import (
	"io"
	"os"
)

// HoldsUnread reports whether a pipe or a file that nobody has begun to read holds something. It takes nothing and waits
// for nothing: others may read it afterwards, and nobody may ever write to it.
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
