package runner

import (
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/grounding"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
)

// shownTexts collects what the runs of a session show the model, at the time when it is shown: reading a long log again
// would cost more than tracing the answer. It is safe for concurrent use.
type shownTexts struct {
	mu   sync.Mutex
	runs map[string]*tracerInput // those that are followed, by path
}

// mostShown bounds the texts of a run that are kept, in bytes.
const mostShown = 16 << 20

// follow collects the texts of the run with a path, from its first event on.
func (s *shownTexts) follow(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[path] = &tracerInput{}
}

// forget drops the texts of a run: the log has them.
func (s *shownTexts) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, path)
}

// add adds the next event of a log. The texts of a run are dropped if a question was undone, or if they are too long.
func (s *shownTexts) add(ev trajectory.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := s.runs[ev.Path]
	if run == nil {
		return
	}
	_, undone := ev.Data.(trajectory.Undone)
	if run.add(ev); undone || run.bytes > mostShown {
		delete(s.runs, ev.Path)
	}
}

// run returns what a run has shown so far, unless only the log has it.
func (s *shownTexts) run(path string) (tracerInput, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if run := s.runs[path]; run != nil {
		return *run, true
	}
	return tracerInput{}, false
}

// tracerInput converts events to the tracer's form.
type tracerInput struct {
	run     grounding.Run
	earlier string                     // earlier questions of the session, the latest first
	asked   map[journal.Key]*askedCall // calls in progress
	calls   map[int][]*askedCall       // by cell in progress
	code    map[int]trajectory.CellStarted
	bytes   int // size of the texts
}

// askedCall is a sub-call of a cell in progress.
type askedCall struct {
	grounding.Call
	batch, index int
	answered     bool
}

// add adds an event of the session.
func (t *tracerInput) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		t.earlier = t.run.Question + "\n" + t.earlier
		t.earlier = strings.TrimSpace(t.earlier[:min(len(t.earlier), longestEarlier)])
		t.run.Question = d.Question
		t.asked, t.calls, t.code = map[journal.Key]*askedCall{}, map[int][]*askedCall{},
			map[int]trajectory.CellStarted{}
	case trajectory.MessageAdded:
		t.message(d)
	case trajectory.CellStarted:
		if t.code != nil {
			t.code[d.Cell] = d
		}
	case trajectory.SubCallStarted:
		t.calling(d)
	case trajectory.SubCallEnded:
		t.called(d)
	case trajectory.CellEnded:
		t.cell(ev.Turn, d)
	}
}

// message adds the first message of a question, with its facts and excerpts, but without the line that lists
// budgets.
func (t *tracerInput) message(d trajectory.MessageAdded) {
	if d.Kind != "question" && d.Kind != kindMore && d.Kind != kindReview {
		return
	}
	text, err := d.Content.Load()
	if err != nil {
		return
	}
	if t.run.Question != "" {
		text = strings.ReplaceAll(text, t.run.Question, "")
	}
	t.run.Whole = t.run.Whole || strings.Contains(text, "\nThis is all of it:")
	var shown strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "[left]") {
			shown.WriteString(line)
		}
	}
	t.run.Shown += shown.String() + "\n"
	t.bytes += shown.Len()
}

// calling adds a sub-call. The prompt is left out if it is long, because it then contains more than the cell's own
// words.
func (t *tracerInput) calling(d trajectory.SubCallStarted) {
	key := d.Key("")
	if t.asked == nil || t.asked[key] != nil { // a resumed run logs the start of the call again
		return
	}
	long := d.Prompt.Size() > longestPrompt
	call := &askedCall{batch: d.Batch, index: d.Index}
	call.Given = d.Child != "" || d.Tool != "" || long
	if d.Tool == "" && !long {
		call.Prompt, _ = d.Prompt.Load()
		call.Prompt = builtins.OwnPrompt(call.Prompt)
	}
	t.bytes += len(call.Prompt)
	t.asked[key] = call
	t.calls[d.Cell] = append(t.calls[d.Cell], call)
}

// called adds a reply.
func (t *tracerInput) called(d trajectory.SubCallEnded) {
	call := t.asked[d.Key("")]
	delete(t.asked, d.Key(""))
	if call == nil || d.Error != "" {
		return
	}
	call.answered = true
	if d.Blind && call.Prompt != "" {
		call.Given = false
	}
	if d.Reply.Size() <= longestReply {
		call.Reply, _ = d.Reply.Load()
	}
	t.bytes += len(call.Reply)
}

// replies returns the calls of a cell that were answered, each with its number among all of the cell.
func (t *tracerInput) replies(cell int) (out []grounding.Call) {
	calls := t.calls[cell]
	trajectory.InOrder(calls, func(c *askedCall) (int, int) { return c.batch, c.index })
	for i, c := range calls {
		if c.Number = i + 1; c.answered {
			out = append(out, c.Call)
		}
	}
	return out
}

// Bounds in bytes of what the tracer loads.
const (
	longestPrompt  = 32 << 10
	longestReply   = 1 << 20
	longestEarlier = 32 << 10
)

// cell adds a cell that ended. A person's cell gets no code here: everything it shows comes from the person.
func (t *tracerInput) cell(turn int, d trajectory.CellEnded) {
	res, err := decodeCell(d)
	if err != nil || t.code == nil {
		return
	}
	c := grounding.Cell{Number: d.Cell, Output: res.Output, Value: res.Value, Failed: !d.OK, Calls: t.replies(d.Cell)}
	if s := t.code[d.Cell]; !s.Own {
		c.Code = s.Source
	}
	for _, v := range res.Changed {
		c.Variables = append(c.Variables, grounding.Variable{Name: v.Name, Value: v.Preview})
	}
	t.bytes += len(c.Code) + len(c.Output) + len(c.Value)
	delete(t.code, d.Cell)
	delete(t.calls, d.Cell)
	t.run.Turns = append(t.run.Turns, grounding.Turn{Number: turn, Cells: []grounding.Cell{c}})
}
