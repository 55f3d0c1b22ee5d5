package fakeapi

// Fault is a way in which a reply fails.
type Fault string

// The faults.
const (
	// Drop cuts the connection after Pieces pieces of the content (0: before any byte of the reply).
	Drop Fault = "drop"
	// CutClean ends the stream normally after Pieces pieces, without finish reason and [DONE].
	CutClean Fault = "cut"
	// Malformed sends an event that is not JSON after Pieces pieces, and continues.
	Malformed Fault = "malformed"
	// ErrorEvent sends an error as an event after Pieces pieces, and ends the stream.
	ErrorEvent Fault = "error_event"
	// NoDone ends the stream without [DONE].
	NoDone Fault = "no_done"
	// NoFinish ends the stream with [DONE] but without a finish reason.
	NoFinish Fault = "no_finish"
	// NoNewline ends the stream right after the last data line's last character, without [DONE].
	NoNewline Fault = "no_newline"
	// KeepAlives sends many comments before the content.
	KeepAlives Fault = "keep_alives"
	// Whole answers a request for a stream with one JSON object.
	Whole Fault = "whole"
	// Linger sends the whole reply with its finish reason, and then neither [DONE] nor the end of the response.
	Linger Fault = "linger"
	// Hang sends Pieces pieces and then nothing until the client disconnects.
	Hang Fault = "hang"
	// HangHeader accepts the request and sends nothing at all.
	HangHeader Fault = "hang_header"
	// HangBody sends the header, with Status, and then nothing.
	HangBody Fault = "hang_body"
	// Endless repeats the content until the client disconnects.
	Endless Fault = "endless"
	// NullContent sends null as the content.
	NullContent Fault = "null_content"
	// NoChoices sends an empty list of choices.
	NoChoices Fault = "no_choices"
	// ToolCalls sends a tool call, together with Content if there is any.
	ToolCalls Fault = "tool_calls"
)
