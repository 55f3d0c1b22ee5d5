package fakeapi

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	told    = regexp.MustCompile(`do: (.*)`)
	latency = regexp.MustCompile(`lat:(\d+)`)
)

// Obedient is a model that follows the instructions in the last question: it sends the cells after "do: ",
// separated by " ;; ", one per turn. It echoes the prompts of sub-calls. If the last message contains lat:MS, the
// reply is delayed by MS milliseconds.
func Obedient(req Request) Reply {
	steps, turn := "", 0
	for _, m := range req.Messages {
		if all := told.FindAllStringSubmatch(m.Content, -1); m.Role == "user" && all != nil {
			steps, turn = all[len(all)-1][1], 0
		} else if m.Role == "assistant" {
			turn++
		}
	}
	reply := Reply{
		Content: "re: " + req.Last(), PromptTokens: 100, CompletionTokens: 10, CachedTokens: 30,
		ReasoningTokens: 4,
	}
	if late := latency.FindStringSubmatch(req.Last()); late != nil {
		ms, _ := strconv.Atoi(late[1]) // the expression matches only digits
		reply.Delay = time.Duration(ms) * time.Millisecond
	}
	if cells := strings.Split(steps, " ;; "); steps != "" && turn < len(cells) {
		reply.Content = "Next step.\n\n```go\n" + cells[turn] + "\n```\n"
	}
	return reply
}
