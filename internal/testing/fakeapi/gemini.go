package fakeapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// generatesContent reports whether a path is of Gemini's own interface.
func generatesContent(path string) bool {
	return strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")
}

// generateContent answers a call of Gemini's own interface, as far as its official SDK needs it to read replies
// and errors.
func (s *Server) generateContent(w http.ResponseWriter, r *http.Request, body []byte) {
	var call struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text string `json:"text"`
			} `json:"parts"`
		} `json:"contents"`
	}
	_ = json.Unmarshal(body, &call)
	req := Request{
		Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
		Stream: strings.HasSuffix(r.URL.Path, ":streamGenerateContent"),
	}
	for _, c := range call.Contents {
		for _, p := range c.Parts {
			req.Messages = append(req.Messages, Message{c.Role, p.Text})
		}
	}
	reply := s.answer(req)
	w.Header().Set("Content-Type", "application/json")
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
		io.WriteString(w, reply.Body)
		return
	}
	if req.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	parts := []any{}
	if reply.Reasoning != "" {
		parts = append(parts, map[string]any{"text": reply.Reasoning, "thought": true})
	}
	parts = append(parts, map[string]any{"text": reply.Content})
	whole, _ := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{
			"promptTokenCount": reply.PromptTokens, "cachedContentTokenCount": reply.CachedTokens,
			"candidatesTokenCount": reply.completion(),
			"thoughtsTokenCount":   reply.ReasoningTokens,
			"totalTokenCount":      reply.PromptTokens + reply.completion() + reply.ReasoningTokens,
		},
	})
	if req.Stream {
		fmt.Fprintf(w, "data: %s\r\n\r\n", whole)
		return
	}
	w.Write(whole)
}
