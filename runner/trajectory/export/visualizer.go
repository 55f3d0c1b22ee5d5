package export

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Visualizer writes a run in the log format of the original RLM implementation (github.com/alexzhang13/rlm), one
// JSON object per line: metadata, then an iteration for each turn. Its visualizer takes any line that is not
// metadata for an iteration, so nothing else is written. The context is only described. A session's later
// questions follow as further iterations, without those that were taken back; the prompts are those sent to the
// model. Unless the run ended normally with an answer, a last block has the reason as its error.
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
	vizMore
}

// vizMore holds fields that the original format does not have; its visualizer ignores them.
type vizMore struct {
	Usage        *vizUsage `json:"usage_summary,omitempty"`     // usage of the turn's own reply
	RunUsage     *vizUsage `json:"run_usage_summary,omitempty"` // usage of the whole run, at its end
	Reasoning    string    `json:"reasoning,omitempty"`
	FinishReason string    `json:"finish_reason,omitempty"`
	Attempts     int       `json:"attempts,omitempty"`
	Notes        []string  `json:"notes,omitempty"` // notes of guards, limits and people
	Status       string    `json:"status,omitempty"`
	EndedBy      string    `json:"ended_by,omitempty"`
	Reason       string    `json:"reason,omitempty"`
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

// vizCall contains the tokens twice: the original logger writes usage_summary, but its visualizer reads the two
// counts.
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
	Cached           bool        `json:"cached,omitempty"`        // answered by an earlier reply
	Attempts         int         `json:"attempts,omitempty"`      // requests made
	FinishReason     string      `json:"finish_reason,omitempty"` // length: the reply was cut
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
	Cached int64    `json:"cached_input_tokens,omitempty"`
}

type vizCallMeta struct {
	Run        map[string]string `json:"run_metadata"`
	Iterations []*vizIteration   `json:"iterations"`
}

// timestamp formats a time like Python's isoformat, with its zone: without one a browser assumes the reader's.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

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
