// Package data reads the questions of evaluations from files: in the form of this program, and in those of OOLONG, LongBench-v2 and RULER
// as they are downloaded.
package data

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/tokens"
)

// mostLine bounds one line of a file: a context of four million tokens has some 20 MB.
const mostLine = 1 << 30

// Read reads a file of items: a line of JSON each, or one list. Every item is checked; the error names the line. Items that name no scorer
// get usual. Those whose scorer is one of apart are scored by something else than package score.
func Read(path, usual string, apart ...string) ([]suite.Item, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading items: %w", err)
	}
	defer f.Close() // opened for reading
	items, err := reader{filepath.Dir(path), usual, apart}.read(f)
	if err != nil {
		return nil, fmt.Errorf("reading items from %s: %w", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	seen := map[string]bool{}
	for i := range items {
		if items[i].ID == "" {
			items[i].ID = fmt.Sprintf("%s-%d", name, i)
		}
		if seen[items[i].ID] {
			return nil, fmt.Errorf("reading items from %s: two items have the id %q", path, items[i].ID)
		}
		seen[items[i].ID] = true
		if items[i].Suite == "" {
			items[i].Suite = name
		}
		if items[i].Length == 0 {
			items[i].Length = rounded(items[i])
		}
	}
	return items, nil
}

// rounded is the length of a context in tokens, up to the next power of two: items of about one length are one point of a curve.
func rounded(item suite.Item) int {
	n := 0
	for _, d := range item.Documents {
		n += tokens.Count(d.Text)
	}
	for length := suite.Shortest; ; length *= 2 {
		if n <= length {
			return length
		}
	}
}

// reader reads items in a folder.
type reader struct {
	dir   string
	usual string   // the scorer of items that name none
	apart []string // scorers whose right answers are not checked here
}

func (rd reader) read(r io.Reader) ([]suite.Item, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	first, err := in.Peek(1)
	if err != nil {
		return nil, errors.New("the file is empty")
	}
	var raw []json.RawMessage
	if first[0] == '[' {
		if err := json.NewDecoder(in).Decode(&raw); err != nil {
			return nil, err
		}
	} else if raw, err = lines(in); err != nil {
		return nil, err
	}
	items := make([]suite.Item, 0, len(raw))
	for i, one := range raw {
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		item, err := rd.parse(one)
		if err == nil && !slices.Contains(rd.apart, item.Scorer) {
			_, err = score.New(item.Scorer, item.Answer)
		}
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, errors.New("there are no items in it")
	}
	return items, nil
}

func lines(r io.Reader) (out []json.RawMessage, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, mostLine)
	for s.Scan() {
		out = append(out, bytes.Clone(s.Bytes()))
	}
	return out, s.Err()
}

// parse tells the forms apart by their fields.
func (rd reader) parse(one json.RawMessage) (suite.Item, error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(one, &has); err != nil {
		return suite.Item{}, fmt.Errorf("it is no JSON object: %w", err)
	}
	switch {
	case has["context_window_text"] != nil:
		return oolong(one)
	case has["choice_A"] != nil:
		return longBench(one)
	case has["outputs"] != nil && has["input"] != nil:
		return ruler(one)
	}
	return rd.own(one)
}

// own is the form of this program. A context is a text, or documents, or paths beside the file.
func (rd reader) own(one json.RawMessage) (suite.Item, error) {
	var it struct {
		suite.Item
		Context string   `json:"context"`
		Paths   []string `json:"paths"`
	}
	d := json.NewDecoder(bytes.NewReader(one))
	d.DisallowUnknownFields()
	if err := d.Decode(&it); err != nil {
		return suite.Item{}, fmt.Errorf("it has no form that is known: %w", err)
	}
	item := it.Item
	if it.Context != "" {
		item.Documents = append(item.Documents, suite.Document{Name: "context.txt", Text: it.Context})
	}
	root, err := os.OpenRoot(rd.dir)
	if err != nil {
		return suite.Item{}, err
	}
	defer root.Close() // opened for reading
	for _, p := range it.Paths {
		text, err := root.ReadFile(p)
		if err != nil {
			return suite.Item{}, fmt.Errorf("paths are files beside the data: %w", err)
		}
		item.Documents = append(item.Documents, suite.Document{Name: p, Text: string(text)})
	}
	if item.Scorer == "" {
		item.Scorer = rd.usual
	}
	switch {
	case strings.TrimSpace(item.Question) == "":
		return suite.Item{}, errors.New("the question is missing")
	case len(item.Documents) == 0:
		return suite.Item{}, errors.New("the context is missing: give context, documents or paths")
	}
	return item, nil
}
