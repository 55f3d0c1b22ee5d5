package answer

import (
	"fmt"
	"strings"
)

// Finish is the payload of a task signal: finish_task("text"), or {summary, status} as JSON, a map or a struct.
type Finish struct {
	Summary string       `json:"summary"`
	Status  FinishStatus `json:"status"`
}

// ParseFinish reads the payload of a task signal. Text that begins with { is read as JSON; if it is not JSON, it
// is the summary. A map or a struct without a summary is itself the summary, unless it only has a status. Without
// a status the task is done; an unknown status is an error addressed to the model.
func ParseFinish(payload any) (Finish, error) {
	switch v := payload.(type) {
	case nil:
		return Finish{Status: Done}, nil
	case string:
		return parseFinishText(v)
	case Finish:
		return v.checked()
	}
	return finishOf(Of(payload)).checked()
}

func parseFinishText(s string) (Finish, error) {
	if v, ok := readJSON(strings.TrimSpace(s)); ok && v.Kind == Object {
		return finishOf(v).checked()
	}
	return Finish{Summary: s}.checked()
}

// finishOf reads summary and status; a payload with neither is itself the summary.
func finishOf(v Value) Finish {
	summary, hasSummary := v.field("summary")
	status, hasStatus := v.field("status")
	var f Finish
	if hasSummary {
		f.Summary = summary.text()
	} else if !hasStatus || len(v.Keys) > 1 {
		f.Summary = v.text()
	}
	if hasStatus {
		f.Status = FinishStatus(status.text())
	}
	return f
}

// field returns a field of an object, ignoring the case of its name.
func (v Value) field(name string) (Value, bool) {
	for i, key := range v.Keys {
		if strings.EqualFold(key, name) {
			return v.Items[i], true
		}
	}
	return Value{}, false
}

// text returns the value as an answer; null is the empty text.
func (v Value) text() string {
	if v.Kind == Null {
		return ""
	}
	return v.String()
}

func (f Finish) checked() (Finish, error) {
	f.Summary = strings.TrimSpace(f.Summary)
	switch status := FinishStatus(strings.ToLower(strings.TrimSpace(string(f.Status)))); status {
	case "":
		f.Status = Done
	case Done, Partial, Blocked:
		f.Status = status
	default:
		return Finish{}, fmt.Errorf("unknown status %q: it is %q, %q or %q", string(f.Status), Done, Partial, Blocked)
	}
	return f, nil
}

// Output is the return value of a task signal: text for people and, at its very end, the machine-readable marker
// [FINISH_STATUS:x]. Such a marker in the summary is defused.
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

// ResponseOutput is the return value of a response signal.
func ResponseOutput(summary string) string {
	if summary == "" {
		return "Response complete."
	}
	return "Response complete. Summary: " + strings.ReplaceAll(summary, markerOpen, "[FINISH_STATUS ")
}

const markerOpen = "[FINISH_STATUS:"
