package front

import (
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// ReasonAsks is the reason of an end that asks back.
const ReasonAsks = "the model asks for something"

// AsksBack reports whether a conversation's answer in prose is a question to the user, and holds no result: no cell
// ran before it, or it has no value that could rest on one.
func AsksBack(by termination.Trigger, answer string, cells int, g *trajectory.Grounding) bool {
	noValue := cells == 0 || g != nil && len(g.Values) == 0
	return by == termination.ByProse && noValue && reply.Asks(answer)
}
