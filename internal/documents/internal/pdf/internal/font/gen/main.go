// Command gen generates the tables of characters by CID from Adobe's CMaps, which are in the folder pdf2unicode of
// https://github.com/adobe-type-tools/mapping-resources-pdf: go run ./gen FOLDER. A table has a line for each CID
// and is compressed.
package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/andybalholm/brotli"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./gen FOLDER")
	}
	for _, name := range []string{"Japan1", "GB1", "CNS1", "Korea1", "KR"} {
		if err := table(filepath.Join(os.Args[1], "Adobe-"+name+"-UCS2"),
			filepath.Join("collections", name)); err != nil {
			log.Fatal(err)
		}
	}
}

func table(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	texts, last := map[int]string{}, 0
	for _, m := range mapping.FindAllStringSubmatch(string(data), -1) {
		low, high := number(m[1]), number(m[1])
		if m[2] != "" {
			high = number(m[2])
		}
		text := decoded(m[3])
		for cid := low; cid <= high; cid++ {
			texts[cid] = plain(text)
			text[len(text)-1]++
		}
		last = max(last, high)
	}
	var lines []string
	for cid := range last + 1 {
		lines = append(lines, texts[cid])
	}
	var packed bytes.Buffer
	w := brotli.NewWriterLevel(&packed, brotli.BestCompression)
	if _, err := w.Write([]byte(strings.Join(lines, "\n"))); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %d CIDs, %d bytes\n", to, len(lines), packed.Len())
	return os.WriteFile(to, packed.Bytes(), 0o644)
}

// mapping matches a line of a list: "<0000> <fffd>" or "<0001> <003c> <0020>".
var mapping = regexp.MustCompile(`(?im)^<([0-9a-f]{4})> (?:<([0-9a-f]{4})> )?<([0-9a-f]+)>$`)

func number(hex string) int {
	n, _ := strconv.ParseInt(hex, 16, 32)
	return int(n)
}

func decoded(text string) []rune {
	b, _ := hex.DecodeString(text)
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, uint16(b[0])<<8|uint16(b[1]))
	}
	return utf16.Decode(units)
}

// plain removes variation selectors, control characters and replacement characters.
func plain(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if !unicode.Is(unicode.Variation_Selector, r) && !unicode.IsControl(r) && r != unicode.ReplacementChar {
			b.WriteRune(r)
		}
	}
	return b.String()
}
