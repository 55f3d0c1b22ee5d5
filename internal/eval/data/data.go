// Package data reads the questions of evaluations from files: in the form of this program, and in those of OOLONG, LongBench-v2 and RULER
// as they are downloaded, as JSON Lines, a JSON list or Parquet. A file is read once from end to end, to check its items and to choose among
// them, and then each item where it is needed, so that files of any size fit into memory.
package data

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/text"
)

// Options say how a file is read and which of its items are taken.
type Options struct {
	Scorer string   // of items that name none
	Apart  []string // scorers of something else than package score; their right answers are not checked here
	// Where takes only items whose fields match; see Filter.
	Where Filter
	// Lengths takes only items whose context has about so many tokens: more than half and, since 128k means 131072 to some, up to
	// a twentieth more.
	Lengths []int
	// N takes that many items (of each length, where lengths are named), chosen by Seed: more of them are those and others. 0: all.
	N    int
	Seed uint64
	// Convert reads the text of a Parquet file; see runner.ConvertFile. nil: such files are refused.
	Convert func(ctx context.Context, path string, read func(*io.SectionReader) error) error
}

// File is the items that were taken of a file, in its order. It may be used by several goroutines. Close it.
type File struct {
	form    form
	name    string // of items that have no suite, and before the number of those that have no id
	records *os.File
	copied  bool // records is a temporary file
	items   []entry
}

// entry is an item that was taken: where it is, and what matters of it before it is asked.
type entry struct {
	offset  int64
	size    int
	ordinal int // among all items of the file
	length  int // as the item has it, or else as it was counted
	tokens  int // of the context, for its price: the larger one of both
	scorer  string
	rank    uint64 // the lower, the sooner it is taken
}

// Open reads a file of items. Every item is checked, also those that are not taken; the error names the item and what is wrong with it.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	f := &File{form: form{dir: filepath.Dir(path), usual: o.Scorer}, name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	err := f.open(ctx, path, o)
	if err == nil {
		err = f.index(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading items from %s: %w", path, err), f.Close())
	}
	return f, nil
}

// Close closes the file. Items cannot be read any more.
func (f *File) Close() error {
	switch {
	case f.records == nil:
		return nil
	case f.copied:
		return removed(f.records)
	}
	return f.records.Close()
}

// Len is how many items were taken.
func (f *File) Len() int { return len(f.items) }

// Tokens is about how many tokens the context of an item has.
func (f *File) Tokens(i int) int { return f.items[i].tokens }

// Scorers are the scorers of all items that were taken.
func (f *File) Scorers() map[string]bool {
	names := map[string]bool{}
	for _, e := range f.items {
		names[e.scorer] = true
	}
	return names
}

// Item reads an item. It fails where the file was changed meanwhile.
func (f *File) Item(i int) (suite.Item, error) {
	e := f.items[i]
	record := make([]byte, e.size)
	if _, err := f.records.ReadAt(record, e.offset); err != nil {
		return suite.Item{}, fmt.Errorf("reading item %d of %s: %w", e.ordinal+1, f.name, err)
	}
	item, err := f.form.item(record)
	if err != nil {
		return suite.Item{}, fmt.Errorf("reading item %d of %s: %w", e.ordinal+1, f.name, err)
	}
	f.complete(&item, e.ordinal)
	item.Length = cmp.Or(item.Length, e.length)
	return item, nil
}

// complete gives an item the names that it has from its file.
func (f *File) complete(item *suite.Item, ordinal int) {
	item.ID = cmp.Or(item.ID, fmt.Sprintf("%s-%d", f.name, ordinal))
	item.Suite = cmp.Or(item.Suite, f.name)
}

// index looks at every record and keeps where those are that match.
func (f *File) index(ctx context.Context, o Options) error {
	all, seen := 0, map[uint64]bool{}
	fields := map[string]bool{}
	err := eachRecord(f.records, func(record []byte, offset int64) error {
		if all%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e, item, matches, err := f.entry(record, all, o, fields)
		if err != nil {
			return fmt.Errorf("item %d: %w", all+1, err)
		}
		id := hash(0, item.ID)
		if seen[id] {
			return fmt.Errorf("two items have the id %q", item.ID)
		}
		seen[id] = true
		all++
		if matches {
			e.offset, e.size, e.rank = offset, len(record), hash(o.Seed, item.ID)
			f.items = append(f.items, e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case all == 0:
		return errors.New("there are no items in it")
	}
	if err := o.Where.check(fields); err != nil {
		return err
	}
	if f.items = chosen(f.items, o); len(f.items) == 0 {
		return fmt.Errorf("none of its %d items matches %s", all, o.conditions())
	}
	return nil
}

// entry checks a record and says whether its item is to be taken. Of texts that are long only the ends are looked at; how many tokens they
// have is counted.
func (f *File) entry(record []byte, ordinal int, o Options, fields map[string]bool) (e entry, item suite.Item, matches bool, err error) {
	outline, err := outlineOf(record)
	if err != nil {
		return e, item, false, err
	}
	if item, err = f.form.item(outline.short); err != nil {
		return e, item, false, err
	}
	if !slices.Contains(o.Apart, item.Scorer) {
		if _, err := score.New(item.Scorer, item.Answer); err != nil {
			return e, item, false, err
		}
	}
	f.complete(&item, ordinal)
	tokens := 0
	for _, d := range item.Documents {
		tokens += outline.tokens(d.Text)
	}
	e = entry{ordinal: ordinal, length: cmp.Or(item.Length, rounded(tokens)), tokens: max(item.Length, tokens), scorer: item.Scorer}
	matches, err = o.Where.matches(outline.short, fields)
	return e, item, matches && (len(o.Lengths) == 0 || near(e.length, o.Lengths) >= 0), err
}

// chosen are the entries of the lowest ranks, in the order of the file.
func chosen(all []entry, o Options) []entry {
	if o.N == 0 {
		return all
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.ordinal, b.ordinal)) })
	taken := map[int]int{}
	all = slices.DeleteFunc(all, func(e entry) bool {
		length := near(e.length, o.Lengths)
		taken[length]++
		return taken[length] > o.N
	})
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return all
}

// near is the place of the length that a context has, -1 if it has none of them.
func near(length int, of []int) int {
	return slices.IndexFunc(of, func(l int) bool {
		most := l + l/20
		return length <= most && length > most/2
	})
}

func (o Options) conditions() string {
	var all []string
	if o.Where.text != "" {
		all = append(all, "--where "+o.Where.text)
	}
	if len(o.Lengths) > 0 {
		all = append(all, fmt.Sprintf("--length %v", o.Lengths))
	}
	return strings.Join(all, " and ")
}

// rounded is a length in tokens, up to the next power of two: items of about one length are one point of a curve.
func rounded(tokens int) int {
	for length := suite.Shortest; ; length *= 2 {
		if tokens <= length {
			return length
		}
	}
}

func hash(seed uint64, text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, seed)) // a hash never fails
	_, _ = io.WriteString(h, text)
	x := h.Sum64()
	x ^= x >> 32 // so that ids that differ in their last byte are far apart
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// fieldsOf are the fields of a record.
func fieldsOf(record []byte) (map[string]json.RawMessage, error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(record, &has); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	return has, nil
}

// tokens are those of a text of the outline.
func (o outline) tokens(short string) int {
	if n, long := o.counted[short]; long {
		return n
	}
	const head = 512
	if len(short) > head {
		for one, n := range o.counted { // a part of a long text
			if strings.HasPrefix(one, short[:head]) {
				return n
			}
		}
	}
	return text.CountTokens(short)
}
