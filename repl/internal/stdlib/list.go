// Package stdlib lists the standard packages that cells may use, and provides their types.
//
// Types come from the compiler's export data, generated for the Go release in go.mod and embedded compressed. So
// a cell is checked against the same declarations that the engine was compiled with, and no Go toolchain is
// needed. os, log and text/template are fakes: cells have no files and no process of their own.
package stdlib

import (
	"slices"
	"strings"
)

//go:generate go run ./gen

// Packages lists the import paths that cells may use, in order; the export data and the symbol tables are generated
// from it. Packages are left out if they give access to files (path/filepath, mime), the network, the runtime or
// memory (reflect, unsafe, unique), or are useless for text and data.
var Packages = []string{
	"bufio", "bytes", "cmp", "compress/gzip", "container/heap", "container/list", "container/ring", "context",
	"crypto/hmac", "crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512",
	"encoding", "encoding/base32", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex",
	"encoding/json",
	"encoding/xml", "errors", "fmt", "hash", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "html", "io",
	"iter",
	"log", "maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand", "math/rand/v2", "mime/quotedprintable",
	"net/url", "os", "path", "regexp", "regexp/syntax", "slices", "sort", "strconv", "strings", "sync", "sync/atomic",
	"text/scanner", "text/tabwriter", "text/template", "time", "unicode", "unicode/utf16", "unicode/utf8",
}

// Fakes lists the packages that are replaced in cells.
var Fakes = []string{"log", "os", "text/template"}

// Compiled returns the packages whose functions exist in the program. It omits the fakes, and packages that are
// entirely generic, because a generic function has no value until it is instantiated.
func Compiled() []string {
	return slices.DeleteFunc(slices.Clone(Packages), func(path string) bool {
		return slices.Contains(Fakes, path) || slices.Contains([]string{"cmp", "iter", "maps", "slices"}, path)
	})
}

// Allowed reports whether cells may import path.
func Allowed(path string) bool { return slices.Contains(Packages, path) }

// ByName returns the import path that a package name means in a cell that does not import it: that of the only
// allowed package of that name; for rand it is math/rand, because most code is written for that. ok is false if
// there is none.
func ByName(name string) (path string, ok bool) {
	for _, p := range Packages {
		if Name(p) == name {
			return p, true
		}
	}
	return "", false
}

// Name returns the package name of an allowed import path.
func Name(path string) string {
	path = strings.TrimSuffix(path, "/v2")
	return path[strings.LastIndexByte(path, '/')+1:]
}
