package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// endingOfReply returns a remark for the model if its reply did not end normally. For a reply that was cut, the
// observation itself contains such a remark.
func (r *run) endingOfReply(d trajectory.ReplyReceived) []string {
	switch d.Ending() {
	case trajectory.Filtered:
		return []string{"your reply was cut off by the endpoint's content filter: say it in other words"}
	case trajectory.Refused:
		return []string{"that is a refusal: continue with a cell if the task can be done, or hand in with a cell why it cannot"}
	case trajectory.CalledTool:
		return []string{"you made a tool call, but there are no tools: write a ```go cell"}
	case trajectory.Unclear:
		return []string{fmt.Sprintf(
			"the endpoint ended your reply for an unknown reason (%s): it may be incomplete", d.FinishReason)}
	}
	return nil
}

// withheld maps the endings of replies that can end a run to the status of that run.
var withheld = map[trajectory.Ending]termination.Status{
	trajectory.Filtered: termination.ContentFilter,
	trajectory.Refused:  termination.Refused,
}

// endingWords say what is wrong with sub-call replies of an abnormal ending, and give advice.
var endingWords = map[trajectory.Ending]string{
	trajectory.Cut:         "ended at the token limit: ask for shorter replies, or set MaxTokens",
	trajectory.ThoughtOnly: "came back empty, since thinking used up the token limit: set a higher MaxTokens",
	trajectory.Empty:       "came back empty",
	trajectory.Filtered:    "ended early at the endpoint's content filter",
	trajectory.Refused:     "held a refusal",
	trajectory.CalledTool:  "held a tool call beside the text, but there are no tools",
	trajectory.Unclear:     "ended for an unknown reason, perhaps incomplete",
	trajectory.Incomplete:  "came from a child run with incomplete replies",
}

// notWhole counts the replies that an answer, or the words of a run without one, may rest on and that did not end
// normally: those of sub-calls, and the model's last one.
func (r *run) notWhole() int {
	if r.ending != trajectory.Whole {
		return r.cut + 1
	}
	return r.cut
}

// tellEndings tells the model which replies of a cell's sub-calls did not end normally. If the cell gave the
// answer, there is no next turn, and people get a warning instead.
func (r *run) tellEndings(cell CellResult, recorded bool) error {
	ends := r.journal.Outcome(r.path, cell.Cell).Ends
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		text := fmt.Sprintf("cell %d: %s %s", cell.Cell, units.Of(ends[end], "sub-call reply"), endingWords[end])
		r.cut += ends[end]
		r.remarks.add(text)
		if cell.Final == nil || recorded {
			continue
		}
		if err := r.journal.Append(r.path, r.turn, trajectory.Warned{
			About: "reply",
			Text:  "the answer comes from a cell with incomplete replies: " + text,
		}); err != nil {
			return err
		}
	}
	return nil
}
