// Package data reads the questions of evaluations from files: in the form of this program, and in those of OOLONG,
// LongBench-v2 and RULER as they are downloaded, as JSON Lines, a JSON list or Parquet. It reads a file once from
// end to end, to check its items and to select among them, and then each item on demand, so that files of any size
// fit into memory.
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

// Options configure how a file is read and which of its items are selected.
type Options struct {
	Scorer string   // scorer of items that name none
	Apart  []string // scorers outside of package score; their right answers are not checked here
	// Where selects only items whose fields match; see Filter.
	Where Filter
	// Lengths selects only items whose context has about one of these numbers of tokens: more than half of it and,
	// because some call 131072 "128k", at most a twentieth more.
	Lengths []int
	// N selects that many items (of each length, if lengths are given), chosen by Seed: a larger N includes the
	// items of a smaller one. 0: all.
	N    int
	Seed uint64
	// Convert reads the text of a Parquet file; see runner.ConvertFile. nil: such files are rejected.
	Convert func(ctx context.Context, path string, read func(*io.SectionReader) error) error
}

// File is the items selected from a file, in its order. It is safe for concurrent use. The caller must close it.
type File struct {
	form    form
	name    string // the suite of items without one, and the prefix of missing ids
	records *os.File
	copied  bool // records is a temporary file
	items   []entry
}

// entry is a selected item: where it is, and what must be known about it before it is read.
type entry struct {
	offset  int64
	size    int
	ordinal int // number among all items of the file
	length  int // length given by the item, or else as counted
	tokens  int // tokens of the context, for its price: the larger of the given and the counted length
	scorer  string
	rank    uint64 // low ranks are selected first
}

// Open reads a file of items. It checks every item, even those that are not selected; the error names the item and
// the mistake.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	f := &File{
		form: form{dir: filepath.Dir(path), usual: o.Scorer},
		name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)),
	}
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

// Len returns the number of selected items.
func (f *File) Len() int { return len(f.items) }

// Tokens returns about how many tokens the context of an item has.
func (f *File) Tokens(i int) int { return f.items[i].tokens }

// Scorers returns the scorers of all selected items.
func (f *File) Scorers() map[string]bool {
	names := map[string]bool{}
	for _, e := range f.items {
		names[e.scorer] = true
	}
	return names
}

// Item reads an item. It fails if the file was changed meanwhile.
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

// complete gives an item without an id or a suite the defaults of its file.
func (f *File) complete(item *suite.Item, ordinal int) {
	item.ID = cmp.Or(item.ID, fmt.Sprintf("%s-%d", f.name, ordinal))
	item.Suite = cmp.Or(item.Suite, f.name)
}

// index reads every record and keeps the positions of those that match.
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
			return fmt.Errorf("two items have the id %q; ids must be unique", item.ID)
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
		return errors.New("it contains no items")
	}
	if err := o.Where.check(fields); err != nil {
		return err
	}
	if f.items = chosen(f.items, o); len(f.items) == 0 {
		return fmt.Errorf("none of its %d items matches %s", all, o.conditions())
	}
	return nil
}

// entry checks a record and reports whether to select its item. It looks only at the ends of long texts, whose
// tokens were counted before.
func (f *File) entry(
	record []byte, ordinal int, o Options, fields map[string]bool,
) (e entry, item suite.Item, matches bool, err error) {
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
	e = entry{
		ordinal: ordinal, length: cmp.Or(item.Length, rounded(tokens)), tokens: max(item.Length, tokens),
		scorer: item.Scorer,
	}
	matches, err = o.Where.matches(outline.short, fields)
	return e, item, matches && (len(o.Lengths) == 0 || near(e.length, o.Lengths) >= 0), err
}

// chosen returns the entries of the lowest ranks, in the order of the file.
func chosen(all []entry, o Options) []entry {
	if o.N == 0 {
		return all
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.ordinal, b.ordinal))
	})
	taken := map[int]int{}
	all = slices.DeleteFunc(all, func(e entry) bool {
		length := near(e.length, o.Lengths)
		taken[length]++
		return taken[length] > o.N
	})
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return all
}

// near returns the index of the first length that a context roughly has: it is at most 5 % longer, and longer than
// half of it. Without one near returns -1.
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

// rounded returns a length in tokens, rounded up to 1000, 2000, 4000 and so on: items of similar length are one point
// of a curve.
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
	x ^= x >> 32 // spreads ids that differ only in their last byte
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// fieldsOf returns the fields of a record.
func fieldsOf(record []byte) (map[string]json.RawMessage, error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(record, &has); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	return has, nil
}

// tokens returns the token count of a text in the outline.
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
