package answer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Finish is what a task signal says: finish_task("text"), or {summary, status} as JSON, a map or a struct.
type Finish struct {
	Summary string       `json:"summary"`
	Status  FinishStatus `json:"status"`
}

// StatusError is a finish status that does not exist. It is addressed to the model.
type StatusError struct{ Status string }

func (e *StatusError) Error() string {
	return fmt.Sprintf("unknown status %q: it is %q, %q or %q", e.Status, Done, Partial, Blocked)
}

// ParseFinish reads the payload of a task signal. Text that begins with { is read as JSON and, if it is
// none, is the summary. An unknown status is a *StatusError; without a status the task is done. A
// map or a struct without a summary is itself the summary.
func ParseFinish(payload any) (Finish, error) {
	switch v := payload.(type) {
	case nil:
		return Finish{Status: Done}, nil
	case string:
		return parseFinishText(v)
	case Finish:
		return v.checked()
	}
	if !hasFields(reflect.ValueOf(payload)) {
		return Finish{Summary: Format(payload), Status: Done}, nil
	}
	return finishOf(fieldsOf(payload), func() string { return Format(payload) })
}

func parseFinishText(s string) (Finish, error) {
	text := strings.TrimSpace(s)
	if !strings.HasPrefix(text, "{") {
		return Finish{Summary: s, Status: Done}, nil
	}
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return Finish{Summary: s, Status: Done}, nil
	}
	return finishOf(fields, func() string { return JSONText(text) })
}

// finishOf reads summary and status; whole is the summary of a payload that has neither.
func finishOf(fields map[string]any, whole func() string) (Finish, error) {
	summary, hasSummary := lookup(fields, "summary")
	status, hasStatus := lookup(fields, "status")
	f := Finish{Status: Done}
	if hasSummary {
		f.Summary = Format(summary)
	} else if !hasStatus || len(fields) > 1 {
		f.Summary = whole()
	}
	if hasStatus && status != nil {
		f.Status = FinishStatus(Format(status))
	}
	return f.checked()
}

func (f Finish) checked() (Finish, error) {
	switch status := FinishStatus(strings.ToLower(strings.TrimSpace(string(f.Status)))); status {
	case "":
		f.Status = Done
	case Done, Partial, Blocked:
		f.Status = status
	default:
		return Finish{}, &StatusError{Status: string(f.Status)}
	}
	return f, nil
}

func lookup(fields map[string]any, name string) (any, bool) {
	for k, v := range fields {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// Output is what a task signal gives back: words for people and, at its very end, the machine-readable
// marker [FINISH_STATUS:x]. A summary that contains such a marker has it defused.
func (f Finish) Output() string {
	said := map[FinishStatus]string{
		Done: "Task objective achieved", Partial: "Partial progress made", Blocked: "Task blocked - cannot proceed",
	}[f.Status]
	out := said + ". Marked for human review. "
	if f.Summary != "" {
		out += "Summary: " + strings.ReplaceAll(f.Summary, markerOpen, "[FINISH_STATUS ") + " "
	}
	return out + markerOpen + string(f.Status) + "]"
}

// ResponseOutput is what a response signal gives back.
func ResponseOutput(summary string) string {
	if summary == "" {
		return "Response complete."
	}
	return "Response complete. Summary: " + strings.ReplaceAll(summary, markerOpen, "[FINISH_STATUS ")
}

const markerOpen = "[FINISH_STATUS:"
