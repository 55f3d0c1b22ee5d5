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
		return []string{"a content filter of the endpoint cut your reply: say it in other words"}
	case trajectory.Refused:
		return []string{"that is a refusal; if it can be done, go on with a cell, else hand in with a cell why it cannot"}
	case trajectory.CalledTool:
		return []string{"you called a tool of the endpoint's interface, and there are none: write a ```go cell"}
	case trajectory.Unclear:
		return []string{fmt.Sprintf(
			"the endpoint ended your reply for a reason that is not known (%s): it may not be whole", d.FinishReason)}
	}
	return nil
}

// withheld maps the endings of replies that can end a run to the status of that run.
var withheld = map[trajectory.Ending]termination.Status{
	trajectory.Filtered: termination.ContentFilter,
	trajectory.Refused:  termination.Refused,
}

// endingWords describe the abnormal endings of sub-call replies, and give advice.
var endingWords = map[trajectory.Ending]string{
	trajectory.Cut:         "reached the limit of tokens and ends there: ask for shorter replies, or set MaxTokens",
	trajectory.ThoughtOnly: "is empty: thoughts used up the limit of tokens; set a higher MaxTokens",
	trajectory.Filtered:    "was cut by a content filter of the endpoint and ends there",
	trajectory.Refused:     "is a refusal of the model",
	trajectory.CalledTool:  "calls a tool beside its text, and there are none",
	trajectory.Unclear:     "ended for a reason that is not known: it may not be whole",
}

// tellEndings tells the model which replies of a cell's sub-calls did not end normally. If the cell gave the
// answer, there is no next turn, and people get a warning instead.
func (r *run) tellEndings(cell CellResult, recorded bool) error {
	ends := r.journal.Outcome(r.path, cell.Cell).Ends
	r.cut += ends[trajectory.Cut] + ends[trajectory.ThoughtOnly]
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		text := fmt.Sprintf("cell %d: %s of sub-calls %s", cell.Cell, units.Of(ends[end], "reply"), endingWords[end])
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
