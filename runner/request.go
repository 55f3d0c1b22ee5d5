package runner

import (
	"context"
	"encoding/json"

	"github.com/gorlm/rlm/runner/internal/hostopt"
)

// requestOf is the request that ctx belongs to; see package host.
func requestOf(ctx context.Context) string {
	name, _ := ctx.Value(hostopt.RequestKey{}).(string)
	return name
}

// spanned adds the span of ctx to a run's metadata, if that is an object or empty.
func spanned(ctx context.Context, metadata json.RawMessage) json.RawMessage {
	sp, ok := ctx.Value(hostopt.SpanKey{}).(hostopt.Span)
	if !ok {
		return metadata
	}
	all := map[string]json.RawMessage{}
	if len(metadata) > 0 && json.Unmarshal(metadata, &all) != nil || all == nil {
		return metadata
	}
	text, err := json.Marshal(sp)
	if err == nil {
		all["span"] = text
		text, err = json.Marshal(all)
	}
	if err != nil {
		return metadata
	}
	return text
}

// unspanned removes the span of an earlier request from a run's metadata.
func unspanned(metadata json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(metadata, &all) != nil || all["span"] == nil {
		return metadata
	}
	delete(all, "span")
	if len(all) == 0 {
		return nil
	}
	out, err := json.Marshal(all)
	if err != nil {
		return metadata
	}
	return out
}
