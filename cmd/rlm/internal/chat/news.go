package chat

import (
	"fmt"

	"github.com/gorlm/rlm/runner/trajectory"
)

// isNews reports whether an event is about the session and not about a question: what its context is made of, and
// what a person should know of it. A session yields such events with its first question; a person sees them at once.
func isNews(ev trajectory.Event) bool {
	if ev.Path != "" {
		return false
	}
	switch ev.Data.(type) {
	case trajectory.ContextAdded, trajectory.Warned:
		return true
	}
	return false
}

// tell reports whether an event is not yet told, and takes it as told.
func (c *core) tell(ev trajectory.Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ev.Seq <= c.told {
		return false
	}
	c.told = ev.Seq
	return true
}

// showNews shows what happened with the session since its last question.
func (c *core) showNews(out sink) {
	var news []trajectory.Event
	for ev, err := range trajectory.Skim(c.current().Dir()) {
		if err != nil {
			c.warn(fmt.Errorf("reading the session: %w", err))
			return
		}
		if _, ended := ev.Data.(trajectory.RunEnded); ended && ev.Path == "" {
			news = nil
		}
		if isNews(ev) {
			news = append(news, ev)
		}
	}
	for _, ev := range news {
		if c.tell(ev) {
			out.event(ev)
		}
	}
}
