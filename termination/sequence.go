package termination

// EventType is a letter of a done sequence.
type EventType string

// The event types.
const (
	ToolEvent    EventType = "T" // a reply whose cells called a builtin or tool
	AgentEvent   EventType = "A" // an observation
	LLMEvent     EventType = "L" // a reply that called none
	UserEvent    EventType = "U" // a user's message
	NoResponse   EventType = "N" // an empty reply
	ContentMatch EventType = "C" // any message whose content matches
)

// Pattern is one element of a done sequence.
type Pattern struct {
	Type EventType `json:"event"`
	// Tool restricts T to replies that called it.
	Tool string `json:"tool,omitempty"`
	// Content is the regular expression (RE2) of C.
	Content string `json:"content,omitempty"`
	// Responder restricts the element to messages of one entity.
	Responder Entity `json:"responder,omitempty"`
}

// Sequence ends a run when its patterns match the latest events of the run, one after another.
type Sequence struct {
	Name     string    `json:"name"`
	Patterns []Pattern `json:"patterns"`
}
