package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/internal/schema"
)

// Bounds of quotations in a note and an error, in bytes.
const (
	mostSaid  = 4000
	mostShown = 1000
)

// Results returns the list of results for a tool's value: the value and, if the tool returned more than the value's
// type can represent, a note for the model. A value that violates promised, the tool's schema, is an error: a zero
// value instead would look like an answer. said is what the tool returned besides the value.
func (o *Outside) Results(promised, value json.RawMessage, said string) ([]byte, error) {
	if !json.Valid(value) {
		return nil, fmt.Errorf("the tool %s gave something that is not JSON", o.Tool)
	}
	results := []any{value}
	var more []string
	if said = strings.TrimSpace(said); said != "" {
		more = append(more, text.Cut(said, mostSaid))
	}
	if s, err := schema.Foreign(string(promised)); err == nil && !o.Text {
		result, err := s.Result(value)
		if err != nil {
			return nil, fmt.Errorf("the call of %s was made and answered, but its result is not what the tool promises: %w; it gave %s%s",
				o.Tool, err, text.Line(string(value), mostShown), quoted(said))
		}
		if beside := result.Beside(); len(beside) > 0 && o.Spec.Results[0] != "any" {
			more = append(more, "fields that its type does not have: "+strings.Join(beside, "; "))
		}
	}
	if len(more) > 0 {
		results = append(results, builtins.ResultNote{
			Note: fmt.Sprintf("the tool %s gave more than the value: %s", o.Tool, strings.Join(more, "; ")),
		})
	}
	return json.Marshal(results)
}

func quoted(said string) string {
	if said == "" {
		return ""
	}
	return fmt.Sprintf(" and said %q", text.Line(said, mostShown))
}
