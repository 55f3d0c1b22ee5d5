// Package fakeapi is a local model endpoint for tests: it speaks OpenAI's chat completions and Anthropic's
// Messages API as documented, over real HTTP and server-sent events, answers from a script, and fails on cue in
// every way that real endpoints do.
package fakeapi

import (
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Server is a running endpoint.
type Server struct {
	http *httptest.Server

	mu       sync.Mutex
	rules    []*Rule
	answer   func(Request) Reply
	service  *Service // nil: an endpoint that accepts everything
	requests []Request
	inFlight int
	most     int
	finished int
	conns    int
	cache    cache
	least    int
}

// Request is a call that the endpoint received.
type Request struct {
	N        int // number of the call, from 0, in order of arrival
	Time     time.Time
	Header   http.Header
	Path     string
	Body     []byte
	Model    string
	Messages []Message
	Stream   bool
	Cache    CacheUse // Messages API only
	Refused  bool     // the request violates the service's rules
}

// Message is one entry of a request's conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Last is the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// Field decodes a field of the request's body; nil if it was not sent.
func (r Request) Field(name string) any {
	fields := map[string]any{}
	_ = json.Unmarshal(r.Body, &fields)
	return fields[name]
}

// Start serves the rules until Close: the first rule that matches and is not used up answers a request. A request
// that matches no rule fails with status 418 and a message to that effect.
func Start(rules ...Rule) *Server {
	s := &Server{}
	for _, r := range rules {
		s.rules = append(s.rules, &r)
	}
	s.answer = s.fromRules
	return s.start()
}

// StartFunc serves the replies of answer, which is called concurrently.
func StartFunc(answer func(Request) Reply) *Server { return (&Server{answer: answer}).start() }

// Says makes rules for a model that gives these replies one after the other.
func Says(replies ...string) []Rule {
	var rules []Rule
	for _, text := range replies {
		rules = append(rules, Rule{Reply: Reply{Content: text}})
	}
	return rules
}

func (s *Server) start() *Server {
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ConnState = s.count
	s.http.Start()
	return s
}

// CacheLeast sets the minimum length, in tokens, of what the Messages API caches; default 1024.
func (s *Server) CacheLeast(tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.least = tokens
}

// URL is the base URL, as clients are configured with it.
func (s *Server) URL() string {
	if s.service != nil {
		return s.http.URL + s.service.Base
	}
	return s.http.URL + "/v1"
}

// Close stops the endpoint and aborts the calls in flight.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests returns the calls received so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// MostInFlight is the highest number of calls that were in flight at the same time.
func (s *Server) MostInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// Finished is the number of calls that were answered completely or aborted.
func (s *Server) Finished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished
}

// Connections is the number of connections that clients have opened.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.mu.Lock()
		s.conns++
		s.mu.Unlock()
	}
}

// ServeHTTP answers one call. A GET lists the only model, as OpenAI or Ollama does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && s.service != nil {
		s.service.list(w, r)
		return
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/tags" {
			io.WriteString(w, `{"models":[{"name":"fake:latest"}]}`)
		} else {
			io.WriteString(w, `{"object":"list","data":[{"id":"fake:latest","object":"model"}]}`)
		}
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // a killed process sent half a call, which does not count
	}
	if generatesContent(r.URL.Path) {
		s.generateContent(w, r, body)
		return
	}
	isMessages := s.service == nil && strings.HasSuffix(r.URL.Path, "/messages")
	req, refused := s.receive(r, body, isMessages)
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.finished++
		s.mu.Unlock()
	}()
	if s.service == nil && !isMessages && !strings.HasSuffix(req.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var reply Reply
	if refused != nil {
		reply = *refused
	} else {
		reply = s.answer(req)
	}
	select {
	case <-time.After(reply.Delay):
	case <-r.Context().Done():
		return
	}
	reply.service = s.service
	reply.send(w, r, req)
}

// receive reads a call, and rejects those that violate the rules of the service or of the Messages API.
func (s *Server) receive(r *http.Request, body []byte, isMessages bool) (Request, *Reply) {
	req := Request{Time: time.Now(), Header: r.Header.Clone(), Path: r.URL.Path, Body: body}
	var refused *Reply
	var call messages
	if isMessages {
		refused = call.refusal(r, body)
		req.Model, req.Messages, req.Stream = call.Model, call.plain(), call.Stream
	} else {
		req.Model, req.Messages, req.Stream = chatFields(body)
	}
	if s.service != nil {
		refused = s.service.refuse(readCall(r, body))
		req.Refused = refused != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if isMessages && refused == nil {
		if s.cache == nil {
			s.cache = cache{}
		}
		req.Cache = s.cache.use(call, cmp.Or(s.least, 1024))
	}
	req.N = len(s.requests)
	s.requests = append(s.requests, req)
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	return req, refused
}

// chatFields returns the fields of a chat completion that rules look at. Contents may be lists of parts.
func chatFields(body []byte) (model string, conversation []Message, stream bool) {
	var fields struct {
		Model    string     `json:"model"`
		Messages []wireTurn `json:"messages"`
		Stream   bool       `json:"stream"`
	}
	_ = json.Unmarshal(body, &fields)
	return fields.Model, (&messages{Messages: fields.Messages}).plain(), fields.Stream
}

// fromRules answers with the first rule that matches.
func (s *Server) fromRules(req Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rule := range s.rules {
		if rule.fits(req) {
			rule.used++
			return rule.Reply
		}
	}
	return Reply{
		Status: http.StatusTeapot,
		Body:   `{"error":{"message":"the fake endpoint has no reply left for this request","code":"no_reply_left"}}`,
	}
}

// cut resets the connection.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
