package trajectory

// EventType is the name of the payload in the log.
func (RunStarted) EventType() string     { return "run_started" }
func (ContextAdded) EventType() string   { return "context_added" }
func (TurnStarted) EventType() string    { return "turn_started" }
func (MessageAdded) EventType() string   { return "message_added" }
func (ReplyDelta) EventType() string     { return "reply_delta" }
func (CallRetried) EventType() string    { return "call_retried" }
func (FellBack) EventType() string       { return "fell_back" }
func (CallLost) EventType() string       { return "call_lost" }
func (ReplyReceived) EventType() string  { return "reply_received" }
func (CellStarted) EventType() string    { return "cell_started" }
func (CellPrinted) EventType() string    { return "cell_printed" }
func (CellEnded) EventType() string      { return "cell_ended" }
func (SubCallStarted) EventType() string { return "sub_call_started" }
func (SubCallEnded) EventType() string   { return "sub_call_ended" }
func (Nudged) EventType() string         { return "nudged" }
func (SignalIgnored) EventType() string  { return "signal_ignored" }
func (LimitReached) EventType() string   { return "limit_reached" }
func (Compacted) EventType() string      { return "compacted" }
func (Warned) EventType() string         { return "warned" }
func (RunEnded) EventType() string       { return "run_ended" }
func (Reviewed) EventType() string       { return "reviewed" }
func (Undone) EventType() string         { return "undone" }
func (Renamed) EventType() string        { return "renamed" }
func (Checked) EventType() string        { return "checked" }
func (TurnFailed) EventType() string     { return "turn_failed" }
func (Resumed) EventType() string        { return "resumed" }
func (Restored) EventType() string       { return "restored" }
func (Restoring) EventType() string      { return "restoring" }
func (EngineMoved) EventType() string    { return "engine_moved" }
func (Reading) EventType() string        { return "reading" }

// prototypes are the payload types by name. The map is never changed.
var prototypes = byName(
	RunStarted{}, ContextAdded{}, TurnStarted{}, MessageAdded{}, ReplyDelta{}, CallRetried{}, CallLost{}, FellBack{},
	ReplyReceived{},
	CellStarted{}, CellPrinted{}, CellEnded{}, SubCallStarted{}, SubCallEnded{}, Nudged{}, SignalIgnored{},
	LimitReached{},
	Compacted{}, Warned{}, RunEnded{}, Reviewed{}, Undone{}, Renamed{},
	Checked{}, TurnFailed{}, Resumed{}, Restored{}, Restoring{}, EngineMoved{}, Reading{},
)

func byName(protos ...Data) map[string]Data {
	m := make(map[string]Data, len(protos))
	for _, d := range protos {
		m[d.EventType()] = d
	}
	return m
}
