package stdlib

import (
	"bytes"
	_ "embed" // for the export data and the fakes
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed export.bin
var exportData []byte

//go:embed os.go.txt
var osSource string

//go:embed log.go.txt
var logSource string

//go:embed template.go.txt
var templateSource string

// Index is the first line of the embedded export data.
type Index struct {
	Go       string  `json:"go"` // the release that compiled the packages
	Packages []Entry `json:"packages"`
}

// Entry says where a package's export data lies behind the index.
type Entry struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
}

// Importer loads the types of allowed packages, each when it is first asked for. Sessions may share one; it
// is safe for concurrent use.
type Importer struct {
	mu      sync.Mutex
	fset    *token.FileSet
	gc      types.Importer
	packed  map[string][]byte
	fakes   map[string]*types.Package
	decoder *zstd.Decoder
}

// Release is the Go release that the embedded export data comes from.
func Release() string {
	index, _, err := readIndex()
	if err != nil {
		return "unknown"
	}
	return index.Go
}

func readIndex() (Index, []byte, error) {
	head, body, _ := bytes.Cut(exportData, []byte("\n"))
	var index Index
	err := json.Unmarshal(head, &index)
	return index, body, err
}

// NewImporter makes an importer that has loaded nothing yet.
func NewImporter() (*Importer, error) {
	index, body, err := readIndex()
	if err != nil {
		return nil, fmt.Errorf("reading the embedded export data: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("reading the embedded export data: %w", err)
	}
	im := &Importer{fset: token.NewFileSet(), packed: map[string][]byte{}, fakes: map[string]*types.Package{}, decoder: decoder}
	for _, e := range index.Packages {
		im.packed[e.Path] = body[e.Offset : e.Offset+e.Size]
	}
	im.gc = importer.ForCompiler(im.fset, "gc", im.open)
	return im, nil
}

// Import implements types.Importer. A path that is not in the list is an error; nothing is ever read from a
// disk.
func (im *Importer) Import(path string) (*types.Package, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.load(path)
}

func (im *Importer) load(path string) (*types.Package, error) {
	switch {
	case path == "os":
		return im.fake(path, osSource)
	case path == "log":
		return im.fake(path, logSource)
	case path == "text/template":
		return im.fake(path, templateSource)
	case im.packed[path] == nil:
		return nil, fmt.Errorf("package %s is not available in cells", path)
	}
	return im.gc.Import(path)
}

// open hands the importer one package in the shape of the archive it expects.
func (im *Importer) open(path string) (io.ReadCloser, error) {
	packed, ok := im.packed[path]
	if !ok {
		return nil, fmt.Errorf("package %s is not available in cells", path)
	}
	def, err := im.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking the export data of %s: %w", path, err)
	}
	var archive bytes.Buffer
	archive.Grow(len(def) + 128)
	fmt.Fprintf(&archive, "!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\n", "__.PKGDEF", 0, 0, 0, "644", len(def))
	archive.Write(def)
	return io.NopCloser(&archive), nil
}

// loader lets the check of a fake import packages while the lock is held.
type loader struct{ im *Importer }

func (l loader) Import(path string) (*types.Package, error) { return l.im.load(path) }

func (im *Importer) fake(path, source string) (*types.Package, error) {
	if pkg, ok := im.fakes[path]; ok {
		return pkg, nil
	}
	file, err := parser.ParseFile(im.fset, path+".go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	conf := types.Config{Importer: loader{im}}
	pkg, err := conf.Check(path, im.fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	im.fakes[path] = pkg
	return pkg, nil
}
