package stdlib

import (
	"bytes"
	_ "embed" // for the export data and the fakes
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/go/gcexportdata"
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

// Entry is the position of a package's export data after the index.
type Entry struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
}

// Importer loads the types of allowed packages, each on first use. Sessions may share an Importer; it is safe for
// concurrent use.
type Importer struct {
	mu      sync.Mutex
	fset    *token.FileSet
	loaded  map[string]*types.Package // also packages that others mention; these contain only the mentioned objects
	packed  map[string][]byte
	fakes   map[string]*types.Package
	decoder *zstd.Decoder
}

func readIndex() (Index, []byte, error) {
	head, body, _ := bytes.Cut(exportData, []byte("\n"))
	var index Index
	err := json.Unmarshal(head, &index)
	return index, body, err
}

// NewImporter makes an importer that has not loaded any package yet.
func NewImporter() (*Importer, error) {
	index, body, err := readIndex()
	if err != nil {
		return nil, fmt.Errorf("reading the embedded export data: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("reading the embedded export data: %w", err)
	}
	im := &Importer{
		fset: token.NewFileSet(), packed: map[string][]byte{}, loaded: map[string]*types.Package{},
		fakes: map[string]*types.Package{}, decoder: decoder,
	}
	for _, e := range index.Packages {
		im.packed[e.Path] = body[e.Offset : e.Offset+e.Size]
	}
	return im, nil
}

// Import implements types.Importer. A path that is not in Packages is an error; nothing is read from disk.
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
	if pkg := im.loaded[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	def, err := im.decoder.DecodeAll(im.packed[path], nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking the export data of %s: %w", path, err)
	}
	return gcexportdata.Read(bytes.NewReader(def), im.fset, im.loaded, path)
}

// loader is the importer for type-checking a fake while the lock is held.
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
