package export

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Visualizer writes a run in the log format of the original RLM implementation (github.com/alexzhang13/rlm), one JSON
// object per line: metadata, then an iteration for each turn. Its visualizer takes any line that is not metadata for an
// iteration, so nothing else is written. The context stands in it as a description only. A session's later
// questions follow as further iterations.
func Visualizer(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	h := &history{}
	begun, n := false, 0
	for t, err := range turns(events) {
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			if err := enc.Encode(metadata(t)); err != nil {
				return fmt.Errorf("write the export: %w", err)
			}
		}
		h.add(t)
		if it := h.iteration(t); it != nil {
			n++
			it.Iteration = n
			if err := enc.Encode(it); err != nil {
				return fmt.Errorf("write the export: %w", err)
			}
		}
		h.reply(t)
	}
	return nil
}

type vizMetadata struct {
	Type              string            `json:"type"`
	Timestamp         string            `json:"timestamp"`
	RootModel         string            `json:"root_model"`
	MaxDepth          int               `json:"max_depth"`
	MaxIterations     int               `json:"max_iterations"`
	Backend           string            `json:"backend"`
	BackendKwargs     map[string]string `json:"backend_kwargs"`
	EnvironmentType   string            `json:"environment_type"`
	EnvironmentKwargs map[string]string `json:"environment_kwargs"`
	OtherBackends     []string          `json:"other_backends"`
}

type vizIteration struct {
	Type          string     `json:"type"`
	Iteration     int        `json:"iteration"`
	Timestamp     string     `json:"timestamp"`
	Prompt        []vizMsg   `json:"prompt"`
	Response      string     `json:"response"`
	CodeBlocks    []vizBlock `json:"code_blocks"`
	FinalAnswer   *string    `json:"final_answer"`
	IterationTime float64    `json:"iteration_time"`
}

type vizMsg struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type vizBlock struct {
	Code   string    `json:"code"`
	Result vizResult `json:"result"`
}

type vizResult struct {
	Stdout        string            `json:"stdout"`
	Stderr        string            `json:"stderr"`
	Locals        map[string]string `json:"locals"`
	ExecutionTime float64           `json:"execution_time"`
	Calls         []vizCall         `json:"rlm_calls"`
	FinalAnswer   *string           `json:"final_answer"`
}

// vizCall has the tokens twice: the original logger writes usage_summary, its visualizer reads the two counts.
type vizCall struct {
	RootModel        string      `json:"root_model"`
	Prompt           string      `json:"prompt"`
	Response         string      `json:"response"`
	PromptTokens     int64       `json:"prompt_tokens"`
	CompletionTokens int64       `json:"completion_tokens"`
	Usage            vizUsage    `json:"usage_summary"`
	ExecutionTime    float64     `json:"execution_time"`
	Metadata         vizCallMeta `json:"metadata"`
	Error            string      `json:"error,omitempty"`
}

type vizUsage struct {
	Models    map[string]vizModelUsage `json:"model_usage_summaries"`
	TotalCost *float64                 `json:"total_cost"`
}

type vizModelUsage struct {
	Calls  int      `json:"total_calls"`
	Input  int64    `json:"total_input_tokens"`
	Output int64    `json:"total_output_tokens"`
	Cost   *float64 `json:"total_cost"`
}

type vizCallMeta struct {
	Run        map[string]string `json:"run_metadata"`
	Iterations []*vizIteration   `json:"iterations"`
}

// timestamp is a time as Python's isoformat writes it.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

func metadata(t *turn) vizMetadata {
	m := vizMetadata{
		Type: "metadata", Timestamp: timestamp(t.at), Backend: "openai", BackendKwargs: map[string]string{},
		EnvironmentType: "local", EnvironmentKwargs: map[string]string{},
	}
	if t.start == nil {
		return m
	}
	m.RootModel = t.start.Model
	m.BackendKwargs["model_name"] = t.start.Model
	m.EnvironmentKwargs["sandbox"] = t.start.Sandbox
	if t.start.SubModel != "" {
		m.OtherBackends = []string{t.start.SubModel}
	}
	var config struct {
		Budgets struct{ Iterations, Depth int }
	}
	if json.Unmarshal(t.start.Config, &config) == nil {
		m.MaxIterations, m.MaxDepth = config.Budgets.Iterations, config.Budgets.Depth
	}
	return m
}

// history is the conversation of a run as it grows.
type history struct {
	messages []vizMsg
	context  string // what the context is
	question string
}

// compactedFrom is where a summary stands: behind the system prompt and the question.
const compactedFrom = 2

// add takes in what was said to the model before the turn.
func (h *history) add(t *turn) {
	if t.start != nil {
		h.question = t.start.Question
	}
	for _, d := range t.before {
		switch d := d.(type) {
		case trajectory.MessageAdded:
			content := d.Content.String()
			if d.Kind == "question" {
				content = originalQuery(h.question) + content
			}
			h.messages = append(h.messages, vizMsg{d.Role, content})
		case trajectory.Compacted:
			from := min(compactedFrom, len(h.messages))
			to := min(from+d.Messages, len(h.messages))
			h.messages = append(append(h.messages[:from:from], vizMsg{"user", d.Summary.String()}), h.messages[to:]...)
		case trajectory.ContextAdded:
			h.context = fmt.Sprintf("context of %d bytes in %d documents: %s", d.Size, d.Documents, strings.Join(d.Sources, ", "))
		}
	}
}

// originalQuery is how the visualizer finds the question.
func originalQuery(question string) string {
	if question == "" {
		return ""
	}
	return `original query: "` + strings.ReplaceAll(question, `"`, "'") + "\"\n\n"
}

// reply takes in the model's reply. A summary is no part of the conversation, nor is an empty reply.
func (h *history) reply(t *turn) {
	if t.reply != nil && t.kind != "summary" && strings.TrimSpace(t.reply.Content.String()) != "" {
		h.messages = append(h.messages, vizMsg{"assistant", t.reply.Content.String()})
	}
}

// iteration is a turn in the other format; nil for what is no turn there.
func (h *history) iteration(t *turn) *vizIteration {
	if t.kind == "summary" || t.reply == nil && len(t.cells) == 0 && t.end == nil {
		return nil
	}
	it := &vizIteration{
		Type: "iteration", Iteration: t.number, Timestamp: timestamp(t.at), Prompt: append([]vizMsg{}, h.messages...),
		CodeBlocks: []vizBlock{}, IterationTime: t.until.Sub(t.at).Seconds(),
	}
	if t.reply != nil {
		it.Response = t.reply.Content.String()
	}
	for _, c := range t.cells {
		it.CodeBlocks = append(it.CodeBlocks, h.block(c))
	}
	if t.end != nil && t.end.HasAnswer {
		it.FinalAnswer = &t.end.Answer
	}
	return it
}

func (h *history) block(c *cell) vizBlock {
	b := vizBlock{Code: c.started.Source, Result: vizResult{Locals: map[string]string{}, Calls: []vizCall{}, ExecutionTime: c.until.Sub(c.at).Seconds()}}
	if h.context != "" {
		b.Result.Locals["context"] = h.context
	}
	for _, s := range c.calls {
		b.Result.Calls = append(b.Result.Calls, vizCallOf(s))
	}
	if c.ended == nil {
		b.Result.Stderr = "the run stopped while this cell ran"
		return b
	}
	res := resultOf(c.ended)
	b.Result.Stdout = c.ended.Output
	if res.Value != "" {
		b.Result.Stdout += res.Value + "\n"
	}
	if res.Error != nil {
		b.Result.Stderr = res.Error.Kind + ": " + res.Error.Message
	}
	for _, v := range res.Changed {
		b.Result.Locals[v.Name] = strings.TrimSpace(v.Type + " " + v.Preview)
	}
	if res.Final != nil {
		b.Result.FinalAnswer = &res.Final.Answer
	}
	return b
}

func vizCallOf(s *call) vizCall {
	v := vizCall{
		RootModel: s.started.Model, Prompt: s.started.Prompt.String(),
		Metadata: vizCallMeta{Run: map[string]string{}, Iterations: []*vizIteration{}},
		Usage:    vizUsage{Models: map[string]vizModelUsage{}},
	}
	h := &history{}
	for _, t := range s.child {
		h.add(t)
		if it := h.iteration(t); it != nil {
			v.Metadata.Iterations = append(v.Metadata.Iterations, it)
		}
		h.reply(t)
	}
	if s.ended == nil {
		v.Error = "the run stopped before the reply came"
		return v
	}
	u := s.ended.Usage
	v.Response, v.Error = s.ended.Reply.String(), s.ended.Error
	if s.ended.Model != "" {
		v.RootModel = s.ended.Model
	}
	v.PromptTokens, v.CompletionTokens, v.ExecutionTime = u.Prompt, u.Completion, s.ended.Duration.Seconds()
	v.Usage.TotalCost = u.Cost
	v.Usage.Models[v.RootModel] = vizModelUsage{Calls: 1, Input: u.Prompt, Output: u.Completion, Cost: u.Cost}
	return v
}
