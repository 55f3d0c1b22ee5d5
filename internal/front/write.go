package front

import (
	"bufio"
	"cmp"
	"errors"
	"io"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/kit/files"
)

// WriteTo writes to stdout if the path is -, else to a file that appears whole or not at all. A path where no file
// can be created gives an *Exit for wrong usage.
func WriteTo(stdout io.Writer, path string, write func(io.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriter(stdout)
		return cmp.Or(write(w), w.Flush()) // both may tell of the same failure
	}
	err := files.Output(path, write)
	if place := (*files.PlaceError)(nil); errors.As(err, &place) {
		return &Exit{Code: exitcode.Usage, Err: err}
	}
	return err
}
