package font

import (
	"embed"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// collections holds a file for each of Adobe's character collections, with a line for each CID.
//
//go:generate sh -c "go run ./gen $MAPPING_RESOURCES_PDF/pdf2unicode"
//go:embed collections
var collections embed.FS

// collection is the name of a numbering of characters (CIDs): "Japan1". Other numberings, such as "Identity",
// number the glyphs of one font.
type collection string

// text returns the character of a CID; empty if it is not in the collection.
func (c collection) text(cid uint32) string {
	unpack, ok := unpacked[c]
	if !ok {
		return ""
	}
	if texts := unpack(); cid < uint32(len(texts)) {
		return texts[cid]
	}
	return ""
}

// unpacked maps a collection to its texts by CID.
var unpacked = map[collection]func() []string{
	"Japan1": sync.OnceValue(lines("Japan1")),
	"GB1":    sync.OnceValue(lines("GB1")),
	"CNS1":   sync.OnceValue(lines("CNS1")),
	"Korea1": sync.OnceValue(lines("Korea1")),
	"KR":     sync.OnceValue(lines("KR")),
}

func lines(name string) func() []string {
	return func() []string {
		f, err := collections.Open("collections/" + name)
		if err != nil {
			return nil
		}
		data, _ := io.ReadAll(brotli.NewReader(f))
		return strings.Split(string(data), "\n")
	}
}
