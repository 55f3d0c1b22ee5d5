package reply

import (
	"encoding/json"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// nearMiss finds code that was meant to run in a reply without a cell: Go or Python without a fence, or a tool
// call in JSON.
func nearMiss(l *layout, r Reply) []SkippedBlock {
	if len(r.Cells) > 0 || len(r.Signals) > 0 || r.Imitates > 0 {
		return r.Skipped
	}
	lines := lineCounter{src: l.src}
	for i, s := range r.Skipped {
		if s.Code || !isJSON(s.Lang) {
			continue
		}
		for _, b := range l.blocks {
			if b.fenced && lines.at(b.start) == s.Line && isJSONCall(b.body) {
				r.Skipped[i].Code, r.Skipped[i].Lang, r.Skipped[i].Reason = true, toolCallLang, jsonCallReason
				return r.Skipped
			}
		}
	}
	if len(r.Skipped) > 0 {
		return r.Skipped
	}
	if isJSONCall(r.Prose) {
		return []SkippedBlock{{Lang: toolCallLang, Line: 1, Code: true, Reason: jsonCallReason}}
	}
	for _, lf := range l.leaves {
		if lf.hidden || lf.listed || lf.quoted || lf.end-lf.start > maxUnfenced {
			continue
		}
		text := strings.TrimSpace(l.str[lf.start:lf.end])
		bare := strings.Trim(text, "` \n")
		if lead, code, ok := strings.Cut(strings.TrimSuffix(text, "`"), ": `"); ok && text == r.Prose &&
			len(lead) < maxLead && !strings.Contains(code, "`") { // as in "Run this: `fmt.Println(n)`"
			bare = code
		} else if bare != text && text != r.Prose { // code in backticks is only mentioned
			continue
		}
		if fenced := quoteFence().FindStringSubmatch(bare); fenced != nil {
			bare = fenced[1]
		}
		if i := strings.IndexByte(bare, '\n'); i >= 0 && isJSONCall(bare[i:]) { // the line before announces it
			bare = bare[i:]
		}
		switch {
		case isJSONCall(bare):
			return []SkippedBlock{{Lang: toolCallLang, Line: lines.at(lf.start), Code: true, Reason: jsonCallReason}}
		case strings.Contains(bare, "\nAction Input:") && strings.Contains("\n"+bare, "\nAction:"):
			return []SkippedBlock{{Lang: toolCallLang, Line: lines.at(lf.start), Code: true, Reason: toolCallReason}}
		case looksLikePython(bare) && !strings.Contains(bare, ":=") && !strings.Contains(bare, "fmt."):
			return []SkippedBlock{{
				Lang: "python", Line: lines.at(lf.start), Code: true,
				Reason: "this is Python without a fence, so nothing ran: " + inGo,
			}}
		case runs(bare) && mayBeCell(bare):
			return []SkippedBlock{{
				Lang: CellTag, Line: lines.at(lf.start), Code: true,
				Reason: "this is Go without a fence, so nothing ran: put ```" + CellTag +
					" on a line of its own above it and ``` below, and send it again",
			}}
		}
	}
	return nil
}

// quoteFence matches a block between quotes that are not backquotes.
var quoteFence = startup.Regexp("(?s)^'''(?:go|golang)?\n(.*?)\n?'''$")

// maxLead bounds the words before code in a line.
const maxLead = 80

const (
	inGo           = "cells are written in Go; write it again in Go, in a ```" + CellTag + " block"
	toolCallReason = "a call of a tool in this form does nothing: write Go in a ```" + CellTag + " cell, where the tools are functions"
	jsonCallReason = "a call of a tool as JSON does nothing: there are no tools but the functions of the notebook; write Go in a ```" + CellTag + " cell"
)

func isJSON(lang string) bool {
	lang = strings.ToLower(lang)
	return lang == "json" || lang == "jsonc" || lang == "json5"
}

// isJSONCall reports whether a text is exactly a tool call written as JSON.
func isJSONCall(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxUnfenced || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return false
	}
	var list []map[string]json.RawMessage
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	if json.Unmarshal([]byte(text), &list) != nil || len(list) == 0 {
		return false
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := list[0][name]; ok {
				return true
			}
		}
		return false
	}
	return has("tool", "tool_name", "tool_call", "tool_calls", "function", "function_call", "recipient_name") ||
		has("name", "action", "command") && has("arguments", "args", "parameters", "input", "action_input", "code") ||
		has("code") && len(list[0]) <= 3
}
