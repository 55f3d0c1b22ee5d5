package runner

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/sandbox"
)

// Bounds of the samples in a first message.
const (
	mostSamples  = 12      // most documents that are all shown; if there are more, most kinds with examples
	fewExamples  = 3       // documents shown of a single kind
	samplesRoom  = 4 << 10 // bytes of all samples together
	roomPerToken = 0.375   // bytes of samples for each token of a model's window: about a tenth of the window
	leastSample  = 120     // least bytes of a useful sample
	bothEnds     = 400     // least bytes of a sample that also shows the document's end
)

// sampleRoom is how many bytes of documents the first message shows to the model of a run at a depth.
func (c config) sampleRoom(depth int) int {
	if w := c.window(depth); w > 0 {
		return min(samplesRoom, int(roomPerToken*float64(min(w, 1<<30))))
	}
	return samplesRoom
}

// fitExcerpt cuts the head and the tail of a text to a room in bytes. A text that is shown completely may exceed
// the room by half.
func fitExcerpt(p *prompts.Facts, room int) {
	if p.Tail == "" && len(p.Head) <= room*3/2 {
		return
	}
	if p.Tail == "" {
		p.Tail = p.Head
	}
	p.Head, p.Tail = beginning(p.Head, room/2), end(p.Tail, room/2)
}

// samples returns the parts of documents that a model sees first: of each if there are few, else of an example of
// each kind.
func samples(docs []sandbox.DocRange, known []corpus.Document, text io.ReaderAt, at int64, room int) []prompts.Sample {
	var out []prompts.Sample
	shown := chosen(docs)
	fits := func(each int) bool {
		n := 0
		for _, s := range shown {
			n += min(each, int(min(docs[s.index].Size, samplesRoom)))
		}
		return n <= room
	}
	each := max(leastSample, largest(0, samplesRoom, fits))
	for _, s := range shown {
		d := docs[s.index]
		sample := prompts.Sample{Name: d.Name, Of: s.of}
		if d.Size <= int64(each) {
			sample.Head = readText(text, at+d.Offset, d.Size)
			sample.Whole = true
		} else {
			head := each
			if each >= bothEnds {
				head = each * 2 / 3
				tail := int64(each - head)
				sample.Tail = end(readText(text, at+d.Offset+d.Size-tail, tail), int(tail))
			}
			sample.Head = beginning(readText(text, at+d.Offset, int64(head)), head)
		}
		if strings.Contains(sample.Head, "\r\n") {
			sample.Notes = append(sample.Notes, `lines end with \r\n`)
		}
		if s.index < len(known) {
			if e := known[s.index].Encoding; e != "" && e != "utf-8" {
				sample.Notes = append(sample.Notes, "was "+e)
			}
		}
		out = append(out, sample)
	}
	return out
}

// example is a document to show. of describes the others of its kind; it is empty if the document stands only for
// itself.
type example struct {
	index int
	of    string
}

// chosen returns the documents to show, in their order.
func chosen(docs []sandbox.DocRange) (out []example) {
	if len(docs) <= mostSamples {
		for i := range docs {
			out = append(out, example{index: i})
		}
		return out
	}
	kinds := map[string][]int{}
	for i, d := range docs {
		kinds[kindOf(d)] = append(kinds[kindOf(d)], i)
	}
	for kind, all := range kinds {
		of := fmt.Sprintf("one of %d %s", len(all), cmp.Or(strings.TrimPrefix(kind, "."), "documents"))
		if len(kinds) > 1 {
			out = append(out, example{all[0], of})
			continue
		}
		for i := range fewExamples {
			out = append(out, example{all[i*(len(all)-1)/(fewExamples-1)], of})
		}
	}
	byNumber := func(a, b example) int {
		return cmp.Or(len(kinds[kindOf(docs[b.index])])-len(kinds[kindOf(docs[a.index])]), a.index-b.index)
	}
	slices.SortFunc(out, byNumber)
	out = out[:min(len(out), mostSamples)]
	slices.SortFunc(out, func(a, b example) int { return a.index - b.index })
	return out
}

// kindOf is a document's original format, or else its file extension.
func kindOf(d sandbox.DocRange) string { return cmp.Or(d.Kind, strings.ToLower(path.Ext(d.Name))) }

// readText reads a part of the text; errors are ignored, since cells that read it report them.
func readText(text io.ReaderAt, at, size int64) string {
	b := make([]byte, size)
	n, _ := text.ReadAt(b, at)
	return string(b[:n])
}

// beginning returns up to most bytes from the start of a text, to a line end if one is near.
func beginning(s string, most int) string {
	s = s[:min(len(s), most)]
	for s != "" {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		s = s[:i+1]
	}
	return s
}

// end returns up to most bytes from the end of a text, from a line start if one is near.
func end(s string, most int) string {
	s = s[max(0, len(s)-most):]
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		s = s[i+1:]
	}
	return s
}
