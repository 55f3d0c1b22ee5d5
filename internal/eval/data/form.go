package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// form reads records as items.
type form struct {
	dir   string // folder of the file; relative paths in the file start there
	usual string // the scorer of items that name none
}

// foreign are the supported foreign forms, recognised by the fields that they have and lack.
var foreign = []struct {
	has, lacks []string
	read       func(json.RawMessage) (suite.Item, error)
}{
	{[]string{"context_window_text", "question", "answer", "answer_type"}, nil, oolong},
	{
		[]string{"context_window_text", "question", "answer"},
		[]string{"answer_type", "dataset", "task_group"},
		oolongReal,
	},
	{[]string{"_id", "question", "choice_A", "choice_B", "choice_C", "choice_D", "answer", "context"}, nil, longBench},
	{[]string{"input", "outputs"}, nil, ruler},
}

// unread are forms that are known but not supported, by fields that only they have.
var unread = []struct {
	name string
	has  []string
}{
	{"MRCR", []string{"prompt", "answer", "random_string_to_prepend"}},
	{"LongMemEval", []string{"question_id", "haystack_sessions"}},
	{"LongBench (the first version)", []string{"input", "context", "answers"}},
	{"InfiniteBench", []string{"input", "context", "answer", "options"}},
	{"BrowseComp-Plus", []string{"query_id", "query"}},
	{"OOLONG with fields left out", []string{"context_window_text"}},
	{"LongBench-v2 with fields left out", []string{"choice_A"}},
	{"a list of chat messages", []string{"messages"}},
}

// ownFields are the fields of this program's own form.
var ownFields = []string{
	"id", "suite", "length", "kind", "question", "context", "documents", "paths", "answer", "scorer",
}

// item reads a record. The record's fields determine its form; nothing is guessed.
func (f form) item(record json.RawMessage) (suite.Item, error) {
	has, err := fieldsOf(record)
	if err != nil {
		return suite.Item{}, err
	}
	holds := func(name string) bool { return has[name] != nil }
	all := func(names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !holds(n) })
	}
	for _, form := range foreign {
		if all(form.has) && !slices.ContainsFunc(form.lacks, holds) {
			return form.read(record)
		}
	}
	names := slices.Sorted(maps.Keys(has))
	other := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(ownFields, n) })
	if len(other) == 0 {
		return f.own(record)
	}
	looks := ""
	for _, form := range unread {
		if all(form.has) {
			looks = ": it looks like " + form.name
			break
		}
	}
	if looks == "" && holds("question") {
		return suite.Item{}, fmt.Errorf(
			"unknown format: rlm's own format has no field %q, only %s", other[0],
			strings.Join(ownFields, ", "))
	}
	return suite.Item{}, fmt.Errorf(
		"unknown format%s, with the fields %s; 'rlm eval make --help' shows the format to convert it to",
		looks, strings.Join(names, ", "))
}

// own reads this program's own form. A context is a text, or documents, or paths relative to the file.
func (f form) own(record json.RawMessage) (suite.Item, error) {
	var it struct {
		suite.Item
		ID      looseText `json:"id"`
		Context string    `json:"context"`
		Paths   []string  `json:"paths"`
	}
	d := json.NewDecoder(bytes.NewReader(record))
	d.DisallowUnknownFields()
	if err := d.Decode(&it); err != nil {
		return suite.Item{}, fmt.Errorf("unknown format: %w", err)
	}
	item := it.Item
	item.ID = string(it.ID)
	if it.Context != "" {
		item.Documents = append(item.Documents, suite.Document{Name: "context.txt", Text: it.Context})
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return suite.Item{}, err
	}
	defer root.Close() // an error after reading does not matter
	for _, p := range it.Paths {
		text, err := root.ReadFile(p)
		if err != nil {
			return suite.Item{}, fmt.Errorf("paths must name files in the folder of the data file: %w", err)
		}
		item.Documents = append(item.Documents, suite.Document{Name: p, Text: string(decoding.Bytes(text))})
	}
	if item.Scorer == "" {
		item.Scorer = f.usual
	}
	switch {
	case strings.TrimSpace(item.Question) == "":
		return suite.Item{}, errors.New("the question is missing")
	case len(item.Documents) == 0:
		return suite.Item{}, errors.New("the context is missing: give context, documents or paths")
	}
	return item, nil
}
