package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/kit/callback"
)

// ConvertFile converts a document that is not text in a locked-down worker and passes its text, of any length, to
// read. The text is valid until read returns; nothing is stored. ConvertFile fails if the document cannot be
// converted completely. Members of a container are left out. Only the options for the sandbox and for conversions
// have an effect.
func ConvertFile(
	ctx context.Context, path string, read func(text *io.SectionReader) error, opts ...Option,
) (err error) {
	var c config
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("converting a document: %w", err)
	}
	defer f.Close() // an error after reading does not matter
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("converting a document: %w", err)
	}
	pool := documents.NewPool(documents.Options{
		Level: c.Level, Workers: 1, Memory: c.Conversion.Memory, Timeout: c.Conversion.Timeout, Output: math.MaxInt64,
	})
	defer func() { err = errors.Join(err, pool.Close()) }()
	found := false
	err = pool.Convert(ctx, documents.Job{Name: filepath.Base(path), Bytes: f, Size: info.Size()},
		func(d documents.Document) error {
			missing := strings.Join(append(d.Notes, d.Why), "; ")
			switch {
			case found:
				return nil
			case d.Why != "" || len(d.Notes) > 0:
				return fmt.Errorf("converting %s: %s", d.Name, strings.TrimSuffix(missing, "; "))
			case d.Text == nil:
				return fmt.Errorf("converting %s: it has no text", d.Name)
			}
			found = true
			_, err := callback.Call(ctx, "the reader of the text", func() (struct{}, error) {
				return struct{}{}, read(d.Text)
			})
			return err
		})
	if err == nil && !found {
		err = fmt.Errorf("converting %s: it has no text", filepath.Base(path))
	}
	return err
}
