package fakeapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// claude describes what a model of the Messages API accepts, according to the model's page of the documentation. A
// model without a page accepts everything.
type claude struct {
	noBudget, noAdaptive bool // unsupported ways to ask for thinking
	unasked              bool // the model thinks by default
	always               bool // the model's thinking cannot be turned off
	noTemperature        bool
}

func claudeNamed(model string) claude {
	for _, known := range []struct {
		beginning string
		claude    claude
	}{
		{"claude-opus-5-5", claude{noBudget: true, unasked: true, always: true, noTemperature: true}},
		{"claude-fable-5", claude{noBudget: true, unasked: true, always: true, noTemperature: true}},
		{"claude-opus-5", claude{noBudget: true, unasked: true, noTemperature: true}},
		{"claude-sonnet-5", claude{noBudget: true, unasked: true, noTemperature: true}},
		{"claude-haiku-5-5", claude{noBudget: true, unasked: true, noTemperature: true}},
		{"claude-opus-4-8", claude{noBudget: true, noTemperature: true}},
		{"claude-opus-4-7", claude{noBudget: true, noTemperature: true}},
		{"claude-opus-4-6", claude{}},
		{"claude-sonnet-4-6", claude{}},
		{"claude-opus-4", claude{noAdaptive: true}},
		{"claude-sonnet-4", claude{noAdaptive: true}},
		{"claude-haiku-4-5", claude{noAdaptive: true}},
		{"claude-3", claude{noAdaptive: true}},
	} {
		if strings.HasPrefix(model, known.beginning) {
			return known.claude
		}
	}
	return claude{}
}

// refuses returns the model's error for settings that it does not accept; "" if it accepts them.
func (c claude) refuses(m *messages) string {
	const instead = ` is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
	thinking := ""
	if m.Thinking != nil {
		thinking = m.Thinking.Type
	}
	switch {
	case thinking == "enabled" && c.noBudget:
		return `"thinking.type.enabled"` + instead
	case thinking == "disabled" && c.always:
		return `"thinking.type.disabled"` + instead
	case thinking == "adaptive" && c.noAdaptive:
		return "adaptive thinking is not supported on this model"
	case m.Temperature != nil && *m.Temperature != 1 && c.noTemperature:
		return "`temperature` is deprecated for this model."
	}
	return ""
}

// shows reports whether the text of thoughts is sent: newer models send it only on request.
func (c claude) shows(m *messages) bool {
	return !c.noBudget || m.Thinking != nil && m.Thinking.Display == "summarized"
}

// ttlOf returns how long a marked prompt stays in the cache: 5m or 1h.
func ttlOf(mark json.RawMessage) string {
	var m struct {
		TTL string `json:"ttl"`
	}
	if json.Unmarshal(mark, &m) != nil || m.TTL == "" {
		return "5m"
	}
	return m.TTL
}

// brokenMarks describes what is wrong with the marks of a request, in order; "" if nothing is.
func brokenMarks(marks []json.RawMessage) string {
	if len(marks) > 4 {
		return fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", len(marks))
	}
	before := "1h"
	for _, mark := range marks {
		switch ttl := ttlOf(mark); {
		case ttl != "5m" && ttl != "1h":
			return "cache_control.ephemeral.ttl: Input should be '5m' or '1h'"
		case ttl == "1h" && before == "5m":
			return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
		default:
			before = ttl
		}
	}
	return ""
}
