package front

import (
	"bufio"
	"cmp"
	"errors"
	"io"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/kit/files"
)

// WriteTo writes to stdout if the path is "-", and otherwise to a file that is created completely or not at all. If
// no file can be created at the path, the error is an *Exit for wrong usage.
func WriteTo(stdout io.Writer, path string, write func(io.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriter(stdout)
		return cmp.Or(write(w), w.Flush()) // both errors may have the same cause
	}
	err := files.Output(path, write)
	if place := (*files.PlaceError)(nil); errors.As(err, &place) {
		return &Exit{Code: exitcode.Usage, Err: err}
	}
	return err
}
