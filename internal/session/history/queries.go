package history

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Variable is a variable of the notebook according to the log.
type Variable struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Size    string `json:"size"`
	Preview string `json:"preview"`
	Cell    int    `json:"cell"` // number of the cell that last set it
}

// kept returns those of the root's events that Variables and Marks need, without those of undone questions.
func kept(dir string) ([]trajectory.Event, error) {
	var events []trajectory.Event
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return nil, err
		}
		if ev.Path == "" {
			switch ev.Data.(type) {
			case trajectory.RunStarted, trajectory.RunEnded, trajectory.Undone, trajectory.CellEnded,
				trajectory.Restored:
				events = append(events, ev)
			}
		}
	}
	return trajectory.Kept(events), nil
}

// Variables returns the notebook's variables after the last cell, sorted by name.
func Variables(dir string) ([]Variable, error) {
	events, err := kept(dir)
	if err != nil {
		return nil, err
	}
	vars := map[string]Variable{}
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.CellEnded:
			result, _ := d.Decode() // variables in an unknown form are not shown
			for _, v := range result.Changed {
				vars[v.Name] = Variable{Name: v.Name, Type: v.Type, Size: v.Size, Preview: v.Preview, Cell: d.Cell}
			}
		case trajectory.Restored:
			for _, name := range d.Lost {
				delete(vars, name)
			}
		}
	}
	return slices.SortedFunc(maps.Values(vars), func(a, b Variable) int { return strings.Compare(a.Name, b.Name) }), nil
}

// Mark is a passage that a cell marked or that an answer cites.
type Mark struct {
	Mark     string `json:"mark,omitempty"`
	Run      int    `json:"run,omitempty"`
	Cell     int    `json:"cell,omitempty"`
	Path     string `json:"path,omitempty"`
	Offset   int64  `json:"offset"` // offset in the context, in bytes
	Length   int64  `json:"length"`
	Document string `json:"document,omitempty"`
	Part     string `json:"part,omitempty"`
	Line     int64  `json:"line,omitempty"`
	Cells    string `json:"cells,omitempty"` // cells of a spreadsheet
	// Notes are remarks on parts of the document that were guessed, salvaged or not read.
	Notes []string `json:"notes,omitempty"`
	Quote string   `json:"quote,omitempty"`
	Cited bool     `json:"cited"` // an answer cites it
}

// Marks returns the passages that the root's cells marked, and those that answers cite.
func Marks(dir string) ([]Mark, error) {
	events, err := kept(dir)
	if err != nil {
		return nil, err
	}
	out := []Mark{}
	run := 0
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			run = d.Number
		case trajectory.CellEnded:
			for _, m := range d.Marks {
				out = append(out, Mark{Run: run, Cell: d.Cell, Offset: m.Offset, Length: m.Length})
			}
		case trajectory.RunEnded:
			for _, e := range d.Evidence {
				if e.Gone {
					continue
				}
				out = append(out, Mark{
					Mark: e.Mark, Run: run, Offset: e.Offset, Length: e.Length, Document: e.Document, Part: e.Part,
					Line: e.Line, Cells: e.Cells,
					Notes: e.Notes, Quote: e.Quote, Cited: true,
				})
			}
		}
	}
	return out, nil
}

// mostHits bounds the hits in one session.
const mostHits = 20

// Hit is a match in a question, an answer or a cell.
type Hit struct {
	Seq    int64  `json:"seq"`
	Run    int    `json:"run,omitempty"`
	Turn   int    `json:"turn,omitempty"`
	Cell   int    `json:"cell,omitempty"`
	In     string `json:"in"`   // question, answer, cell
	Text   string `json:"text"` // a line around the hit
	At     int    `json:"at"`   // offset of the match in Text, in bytes
	Length int    `json:"length"`
}

// Search searches the questions, answers and cells of a log.
func Search(dir string, want Query) ([]Hit, error) {
	var out []Hit
	run := 0
	for ev, err := range trajectory.SkimTypes(dir, "run_started", "run_ended", "cell_started") {
		if err != nil || len(out) == mostHits {
			return out, err
		}
		if ev.Path != "" {
			continue
		}
		hit := Hit{Seq: ev.Seq, Turn: ev.Turn}
		text := ""
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			run = d.Number
			hit.In, text = "question", d.Question
		case trajectory.RunEnded:
			hit.In, text = "answer", d.Answer
		case trajectory.CellStarted:
			hit.In, hit.Cell, text = "cell", d.Cell, d.Source
		default:
			continue
		}
		if hit.Run = run; hit.Around(text, want) {
			out = append(out, hit)
		}
	}
	return out, nil
}

// Around sets the hit's text to the first line of text with a match. It returns false if there is none.
func (h *Hit) Around(text string, want Query) bool {
	const most, ahead = 200, 60
	for line := range strings.Lines(composed(text)) {
		line = strings.TrimRight(line, "\r\n")
		at, length := want.find(line)
		if at < 0 {
			continue
		}
		from, to := 0, len(line)
		if len(line) > most {
			from = max(0, at-ahead)
			to = max(min(len(line), from+most), at+length)
		}
		for from < at && !utf8.RuneStart(line[from]) {
			from++
		}
		for to < len(line) && !utf8.RuneStart(line[to]) {
			to++
		}
		before := strings.ToValidUTF8(line[from:at], "")
		h.Text, h.At, h.Length = before+strings.ToValidUTF8(line[at:to], ""), len(before), length
		return true
	}
	return false
}
