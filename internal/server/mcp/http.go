package mcp

import (
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	mostClients = 100       // conversations of one server at once
	idleClient  = time.Hour // without a request, a conversation is over
)

// Handler speaks streamable HTTP. Who may speak, by which host name and from which page, is for the caller to say, and how large a body may be.
func (s *Server) Handler() http.Handler {
	get := func(r *http.Request) *sdk.Server {
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			n := 0
			for range s.sdk.Sessions() {
				if n++; n >= mostClients {
					return nil
				}
			}
		}
		return s.sdk
	}
	return sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: idleClient, EventStore: sdk.NewMemoryEventStore(nil), DisableLocalhostProtection: true, MaxRequestBodyBytes: mostMessage,
	})
}

// Close ends all conversations: what they have under way is cancelled.
func (s *Server) Close() {
	for conversation := range s.sdk.Sessions() {
		_ = conversation.Close() // it is over in any case
	}
}
