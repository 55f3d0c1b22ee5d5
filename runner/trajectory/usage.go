package trajectory

// Usage returns the usage of the event's model call, with or without a reply; ok is false for other events. A
// child run's usage is in its own events.
func (e Event) Usage() (u Usage, ok bool) {
	switch d := e.Data.(type) {
	case ReplyReceived:
		return d.Usage, true
	case CallLost:
		return d.Usage, true
	case SubCallEnded:
		return d.Usage, d.Usage != Usage{}
	}
	return u, false
}

// Tokens is the number of tokens sent and received.
func (u Usage) Tokens() int64 { return u.Prompt + u.Completion }

// Plus adds two usages. The cost of the sum is known only if both costs are.
func (u Usage) Plus(o Usage) Usage {
	if u == (Usage{}) {
		return o
	}
	u.Prompt += o.Prompt
	u.Completion += o.Completion
	u.Reasoning += o.Reasoning
	u.Cached += o.Cached
	u.CacheWritten += o.CacheWritten
	u.CacheWrittenHour += o.CacheWrittenHour
	u.Wasted += o.Wasted
	u.Estimated = u.Estimated || o.Estimated
	if u.Cost == nil || o.Cost == nil {
		u.Cost, u.CostFrom = nil, ""
		return u
	}
	sum := *u.Cost + *o.Cost
	u.Cost = &sum
	if u.CostFrom != o.CostFrom {
		u.CostFrom = "endpoint and table"
	}
	return u
}

// UsageOf adds up the usage of all models.
func UsageOf(byModel map[string]Usage) (sum Usage) {
	for _, u := range byModel {
		sum = sum.Plus(u)
	}
	return sum
}
