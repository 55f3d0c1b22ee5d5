package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

type askArgs struct {
	Question   string   `json:"question" jsonschema:"what to find out, with all that the answer depends on"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files and folders to ask over"`
	Text       string   `json:"text,omitempty" jsonschema:"text to ask over, beside or instead of files"`
	Session    string   `json:"session,omitempty" jsonschema:"go on in this session, with its files and variables, instead of paths and text"`
	MaxCost    float64  `json:"max_cost,omitempty" jsonschema:"USD that the answer may cost at most; can only lower what the server allows"`
	MaxMinutes float64  `json:"max_minutes,omitempty" jsonschema:"how long it may take; can only lower what the server allows"`
	MaxTurns   int      `json:"max_turns,omitempty" jsonschema:"turns of the model; can only lower what the server allows"`
}

// answer is what ask gives.
type answer struct {
	Answer    string    `json:"answer"`
	HasAnswer bool      `json:"has_answer"`
	Status    string    `json:"status" jsonschema:"completed, or why it ended otherwise"`
	Reason    string    `json:"reason,omitempty"`
	Session   string    `json:"session" jsonschema:"to go on with"`
	Evidence  []passage `json:"evidence,omitempty" jsonschema:"passages of the documents that marks in the answer stand for, checked"`
	Turns     int       `json:"turns"`
	Cost      *float64  `json:"cost,omitempty" jsonschema:"USD, if prices are known"`
	Seconds   float64   `json:"seconds"`
}

type passage struct {
	Mark     string `json:"mark"`
	Document string `json:"document,omitempty"`
	Part     string `json:"part,omitempty"`
	Line     int64  `json:"line,omitempty"`
	Quote    string `json:"quote"`
}

func (s *Server) ask(ctx context.Context, req *sdk.CallToolRequest, in askArgs) (*sdk.CallToolResult, answer, error) {
	if strings.TrimSpace(in.Question) == "" {
		return nil, answer{}, errors.New("the question is empty")
	}
	ctx = runner.UnderSpan(ctx, spanOf(req, "traceparent"), spanOf(req, "tracestate"))
	session, err := s.sessionFor(ctx, in)
	if err != nil {
		return nil, answer{}, err
	}
	var res runner.Result
	err = s.notebooks.Ask(ctx, session, func(doing context.Context, n *runner.Session) error {
		allowed := n.Budgets()
		if err := n.Set(runner.WithBudgets(lowered(allowed, in))); err != nil {
			return err
		}
		var err error
		res, err = follow(doing, n, in.Question, &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken()})
		return errors.Join(err, n.Set(runner.WithBudgets(unbounded(allowed))))
	})
	if err == nil && !res.HasAnswer {
		err = res.Err
	}
	if err != nil {
		return nil, answer{}, fmt.Errorf("session %s: %w", session, err)
	}
	out := answerOf(session, res)
	s.publish(in.Question, out)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}}, out, nil
}

// spanOf is what a call says of its trace, in its own words or in those of the request that carries it.
func spanOf(req *sdk.CallToolRequest, name string) string {
	if text, ok := req.Params.Meta[name].(string); ok {
		return text
	}
	if req.Extra != nil {
		return req.Extra.Header.Get(name)
	}
	return ""
}

// sessionFor is the session that a question is for.
func (s *Server) sessionFor(ctx context.Context, in askArgs) (string, error) {
	if in.Session != "" {
		if len(in.Paths) > 0 || in.Text != "" {
			return "", errors.New("a session has its context: give either session, or paths and text")
		}
		return in.Session, nil
	}
	inputs, err := s.inputs(in.Paths, in.Text)
	if err != nil {
		return "", err
	}
	return s.notebooks.Begin(ctx, inputs)
}

// follow asks, and tells the client how far it is.
func follow(ctx context.Context, session *runner.Session, question string, p *progress) (runner.Result, error) {
	var res runner.Result
	for ev, err := range session.Ask(ctx, question) {
		if err != nil {
			return res, err
		}
		res.Add(ev)
		p.add(ev)
	}
	return res, nil
}

// lowered are the budgets of a request: less than the server's, never more. A bound of 0 is none.
func lowered(b runner.Budgets, in askArgs) runner.Budgets {
	if in.MaxCost > 0 && (b.Cost == 0 || in.MaxCost < b.Cost) {
		b.Cost = in.MaxCost
	}
	if limit := time.Duration(in.MaxMinutes * float64(time.Minute)); limit > 0 && (b.Time == 0 || limit < b.Time) {
		b.Time = limit
	}
	if in.MaxTurns > 0 && (b.Iterations == 0 || in.MaxTurns < b.Iterations) {
		b.Iterations = in.MaxTurns
	}
	return unbounded(b)
}

// unbounded writes "no bound" as options do.
func unbounded(b runner.Budgets) runner.Budgets {
	none(&b.Iterations)
	none(&b.SubCalls)
	none(&b.Tokens)
	none(&b.Cost)
	none(&b.Time)
	none(&b.Depth)
	none(&b.Errors)
	none(&b.Recorded)
	return b
}

func none[N int | int64 | float64 | time.Duration](n *N) {
	if *n == 0 {
		*n = -1
	}
}

func answerOf(session string, res runner.Result) answer {
	out := answer{
		Answer: res.Answer, HasAnswer: res.HasAnswer, Status: string(res.Status), Reason: res.Reason, Session: session, Turns: res.Turns, Cost: res.Cost,
		Seconds: res.Duration.Seconds(),
	}
	for _, e := range res.Evidence {
		out.Evidence = append(out.Evidence, passage{e.Mark, e.Document, e.Part, e.Line, e.Quote})
	}
	return out
}

// text is the answer for clients that read no structured content.
func (a answer) text() string {
	var b strings.Builder
	if a.HasAnswer {
		b.WriteString(a.Answer + "\n")
	} else {
		fmt.Fprintf(&b, "There is no answer: %s (%s).\n", a.Reason, a.Status)
	}
	for _, e := range a.Evidence {
		fmt.Fprintf(&b, "\n%s %s, line %d: %s", e.Mark, e.Document, e.Line, e.Quote)
	}
	fmt.Fprintf(&b, "\n[session %s]", a.Session)
	return b.String()
}

// mostPublished bounds the answers that are listed as resources.
const mostPublished = 100

// publish makes an answer a resource: the last one of its session.
func (s *Server) publish(question string, a answer) {
	data, err := json.Marshal(struct {
		Question string `json:"question"`
		answer
	}{question, a})
	if err != nil {
		return
	}
	uri := "rlm://runs/" + a.Session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = append(slices.DeleteFunc(s.published, func(other string) bool { return other == uri }), uri)
	if len(s.published) > mostPublished {
		s.sdk.RemoveResources(s.published[0])
		s.published = s.published[1:]
	}
	s.sdk.AddResource(&sdk.Resource{URI: uri, Name: a.Session, Title: firstLine(question), MIMEType: "application/json"},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(data)}}}, nil
		})
}

// progress tells a client that asked for it what happens.
type progress struct {
	ctx   context.Context
	req   *sdk.CallToolRequest
	token any
	steps float64
	calls int
	last  time.Time
}

func (p *progress) add(ev trajectory.Event) {
	if p.token == nil {
		return
	}
	text, often := "", false
	switch ev.Data.(type) {
	case trajectory.TurnStarted:
		if ev.Path == "" {
			text = fmt.Sprintf("turn %d", ev.Turn)
		}
	case trajectory.CellStarted:
		text = "a cell runs"
	case trajectory.SubCallEnded:
		p.calls++
		text, often = fmt.Sprintf("%d sub-calls answered", p.calls), true
	}
	if text == "" || often && time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last = time.Now()
	p.steps++
	_ = p.req.Session.NotifyProgress(p.ctx, &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: p.steps, Message: text}) // a client that is gone cancels
}
