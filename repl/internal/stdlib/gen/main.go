// Command gen writes the export data of the allowed packages for the Go release that runs it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func main() {
	log.SetFlags(0)
	if err := generate("export.bin"); err != nil {
		log.Fatal("gen: ", err)
	}
}

// generate writes one file: a line of JSON (release and where each package lies), then the packages, each compressed
// on its own so that only what a cell imports is ever unpacked.
func generate(file string) error {
	paths := slices.DeleteFunc(slices.Clone(stdlib.Packages), func(p string) bool { return slices.Contains(stdlib.Fakes, p) })
	archives, err := list(paths)
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	index := stdlib.Index{Go: runtime.Version()}
	var body []byte
	for _, path := range paths {
		def, err := definition(archives[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		start := len(body)
		body = enc.EncodeAll(def, body)
		index.Packages = append(index.Packages, stdlib.Entry{Path: path, Offset: start, Size: len(body) - start})
	}
	head, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(append(head, '\n'), body...), 0o644)
}

// list asks the go command for the archives, built for one fixed platform: the declarations cells can see do not
// differ between platforms.
func list(paths []string) (map[string]string, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-trimpath", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	archives := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		archives[path] = file
	}
	return archives, nil
}

// definition is the __.PKGDEF member of a compiler archive: the export data without the code.
func definition(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	const magic, header = "!<arch>\n", 60
	if !bytes.HasPrefix(b, []byte(magic)) {
		return nil, errors.New("not an archive")
	}
	for b = b[len(magic):]; len(b) >= header; {
		name := strings.TrimSpace(string(b[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(b[48:58])))
		if err != nil || header+size > len(b) {
			return nil, io.ErrUnexpectedEOF
		}
		if name == "__.PKGDEF" {
			return b[header : header+size], nil
		}
		b = b[min(len(b), header+size+size%2):]
	}
	return nil, errors.New("no export data in the archive")
}
