// Command gen writes the export data of the allowed packages for the Go release that runs it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/go/gcexportdata"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func main() {
	log.SetFlags(0)
	if err := generate("export.bin"); err != nil {
		log.Fatal("gen: ", err)
	}
}

// generate writes one file: a line of JSON (the release and the position of each package), then the packages. They
// are compressed separately, so that only those that a cell imports are unpacked.
func generate(file string) error {
	paths := slices.DeleteFunc(
		slices.Clone(stdlib.Packages), func(p string) bool { return slices.Contains(stdlib.Fakes, p) })
	archives, err := list(paths)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(archives[path]) })
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	index := stdlib.Index{Go: runtime.Version()}
	var body []byte
	for _, path := range paths {
		pkg, err := gc.Import(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var def bytes.Buffer
		if err := gcexportdata.Write(&def, fset, pkg); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		start := len(body)
		body = enc.EncodeAll(def.Bytes(), body)
		index.Packages = append(index.Packages, stdlib.Entry{Path: path, Offset: start, Size: len(body) - start})
	}
	head, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(append(head, '\n'), body...), 0o644)
}

// list returns the archives of packages that the go command builds, all for one platform, because the declarations
// that cells see do not differ between platforms.
func list(paths []string) (map[string]string, error) {
	cmd := exec.Command("go",
		append([]string{"list", "-export", "-deps", "-trimpath", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
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
