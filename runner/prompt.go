package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// opening is how a question is put to the model.
type opening struct {
	facts *prompts.Facts
	own   []string // what happened since the last turn, a person's own cells among it
	first bool     // the first question of the conversation
	kind  string   // of the message; question where empty
	// changed says that the mode is another one than the conversation knows.
	changed bool
}

// open puts the system prompt, in a new conversation, and the question.
func (r *run) open(question string, o opening) error {
	if o.first {
		system, err := r.systems.of(r.depth, func() (string, error) { return r.cfg.Prompts.System(r.setup()) })
		if err != nil {
			return err
		}
		m, err := journal.Note(r.journal, r.path, 0, trajectory.MessageAdded{Role: string(llm.System), Kind: "system", Content: trajectory.T(system)})
		if err != nil {
			return err
		}
		r.conv.apply(m)
	}
	var mode *prompts.Setup
	if o.changed {
		setup := r.setup()
		mode = &setup
	}
	text, err := r.cfg.Prompts.Ask(prompts.Question{
		Mode: mode, Text: question, Facts: o.facts, Own: o.own, Left: r.lease.Left(0), First: o.first, Review: o.kind == kindReview, More: o.kind == kindMore,
	})
	if err != nil {
		return err
	}
	kind := o.kind
	if kind == "" {
		kind = "question"
	}
	if err := r.say(kind, text); err != nil {
		return err
	}
	state, err := r.policy.Begin(question)
	r.state = state
	return err
}

// systems keeps the system prompts of a tree, which are the same for all runs of one depth.
type systems struct {
	mu sync.Mutex
	at map[int]string
}

func (s *systems) of(depth int, render func() (string, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.at[depth]; ok {
		return text, nil
	}
	text, err := render()
	if err != nil {
		return "", err
	}
	if s.at == nil {
		s.at = map[int]string{}
	}
	s.at[depth] = text
	return text, nil
}

// setup is what the system prompt says of this run.
func (r *run) setup() prompts.Setup {
	limits := r.cfg.Limits.WithDefaults()
	s := prompts.Setup{
		Task: r.policy.Mode == termination.Task, Interactive: r.policy.Interactive, Child: r.depth > 0, Names: r.names, Packages: repl.Packages(),
		Output: r.cfg.cellOutput(r.depth), CellTime: limits.CellTime, CellMemory: limits.CellMemory, Concurrency: r.cfg.Concurrency, Answer: r.declaration(), Additions: r.cfg.System,
	}
	s.Outside = r.depth == 0 && len(r.cfg.Tools) > 0
	childless := r.depth >= r.bounds.Depth
	if childless {
		s.Names.ChildQuery = ""
	}
	if w := windowOf(r.cfg.sub, r.cfg.SubWindow); w > 0 {
		s.QueryChars = capacity(w)
	}
	for _, h := range builtins.Docs(r.specs) {
		if h.Name == recordedCalls || h.Spare {
			continue // the model sees it when it needs it
		}
		if childless && strings.HasPrefix(h.Impl, "rlm_query") {
			continue // they would only do what plain sub-calls do
		}
		s.Builtins = append(s.Builtins, prompts.Builtin{Name: h.Name, Doc: h.Text, Signal: h.Signal})
	}
	return s
}

// news is something that happened since the model's last turn: a person's own cell, or a remark.
type news struct {
	source string
	seen   prompts.Observation
}

func remark(text string) news { return news{seen: prompts.Observation{Remarks: []string{text}}} }

func ownCell(source string, c CellResult) news {
	return news{source, prompts.Observation{Cells: []prompts.Cell{c.observation()}}}
}

// tell is what the model reads of all that happened. A person's cells together have the room of the cells of one turn, and their sources as
// much again.
func tell(list []news, room int) []string {
	var cells []prompts.Cell
	var sources []*string
	for i := range list {
		cells = append(cells, list[i].seen.Cells...)
		sources = append(sources, &list[i].source)
	}
	fitOutputs(cells, room)
	fitTexts(sources, room)
	var out []string
	for _, n := range list {
		if n.source == "" {
			out = append(out, n.seen.String())
			continue
		}
		n.seen.Cells, cells = cells[:1], cells[1:]
		out = append(out, "```go\n"+n.source+"\n```\n"+n.seen.String())
	}
	return out
}

// declaration is the answer's Go type as the notebook declares it; "" if it may be anything.
func (r *run) declaration() string {
	if r.cfg.answerForm == nil || r.depth > 0 {
		return ""
	}
	return r.cfg.answerForm.Declaration()
}

// listed bounds the documents and the files left out that a prompt names.
const listed = 50

// facts puts what is known of a text into the words of a prompt. known are its documents, if there is more to say of them.
func facts(f corpus.Facts, docs []sandbox.DocRange, known []corpus.Document, skipped []corpus.Skipped) *prompts.Facts {
	p := &prompts.Facts{
		Bytes: f.Bytes, Chars: f.Chars, Lines: f.Lines, Tokens: f.Tokens, Total: len(docs), Head: f.Head, Tail: f.Tail,
		Separator: "each begins after a line like `=== document 2: name ===`",
	}
	if f.Bytes <= int64(len(f.Head)) {
		p.Tail = ""
	}
	for i, d := range docs[:min(len(docs), listed)] {
		doc := prompts.Document{Name: d.Name, Bytes: d.Size, Kind: d.Kind, Pages: int64(d.Parts.Pages())}
		if i < len(known) {
			doc.Note = known[i].Note
			if f := known[i].Fetched; f != nil {
				doc.Note = strings.TrimSuffix("fetched "+f.Time.Format("2006-01-02 15:04 UTC")+"; "+doc.Note, "; ")
			}
		}
		p.Documents = append(p.Documents, doc)
	}
	for _, e := range slices.Sorted(maps.Keys(f.Encodings)) {
		if e != "utf-8" && e != "" {
			p.Encodings = append(p.Encodings, e)
		}
	}
	for i, s := range skipped {
		if i == listed {
			p.Skipped = append(p.Skipped, fmt.Sprintf("and %d more", len(skipped)-listed))
			break
		}
		p.Skipped = append(p.Skipped, s.Name+" ("+s.Reason+")")
	}
	return p
}
