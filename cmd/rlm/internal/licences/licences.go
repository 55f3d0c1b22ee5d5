// Package licences contains the licences of all modules linked into rlm.
package licences

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
)

//go:generate go run ./gen

// packed is written by gen, and decompressed by Write.
//
//go:embed licences.txt.gz
var packed string

// Write writes the licences of the modules linked into rlm on any system: each text once, below the names and
// versions of the modules that have it.
func Write(w io.Writer) error {
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return fmt.Errorf("read the licences: %w", err)
	}
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("write the licences: %w", err)
	}
	return nil
}
