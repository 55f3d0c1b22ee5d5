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

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

type askArgs struct {
	Question   string         `json:"question" jsonschema:"what to find out, with all that the answer depends on"`
	Paths      []string       `json:"paths,omitempty" jsonschema:"files and folders to ask over"`
	Text       string         `json:"text,omitempty" jsonschema:"text to ask over, beside or instead of files"`
	Session    string         `json:"session,omitempty" jsonschema:"go on in this session, with its files and variables, instead of paths and text"`
	Schema     map[string]any `json:"schema,omitempty" jsonschema:"JSON Schema of the answer, which is JSON then; the session keeps it"`
	MaxCost    float64        `json:"max_cost,omitempty" jsonschema:"USD that the answer may cost at most; can only lower what the server allows"`
	MaxMinutes float64        `json:"max_minutes,omitempty" jsonschema:"how long it may take; can only lower what the server allows"`
	MaxTurns   int            `json:"max_turns,omitempty" jsonschema:"turns of the model; can only lower what the server allows"`
}

// answer is the result of ask.
type answer struct {
	Answer    string    `json:"answer"`
	HasAnswer bool      `json:"has_answer"`
	Guess     bool      `json:"guess,omitempty" jsonschema:"the answer was handed in before anything of the text was looked at"`
	Cut       int       `json:"cut_replies,omitempty" jsonschema:"replies of sub-calls, and the last one of the model, that were cut, filtered or refused"`
	Reply     string    `json:"reply,omitempty" jsonschema:"the last words of the model where there is no answer, such as a question of its own"`
	Status    string    `json:"status" jsonschema:"completed, or why it ended otherwise"`
	Reason    string    `json:"reason,omitempty"`
	Session   string    `json:"session" jsonschema:"to go on with"`
	Evidence  []passage `json:"evidence,omitempty" jsonschema:"passages of the documents that marks in the answer stand for, checked"`
	// Grounding is the evidence for the values of the answer.
	Grounding *trajectory.Grounding `json:"grounding,omitempty" jsonschema:"what each value of the answer rests on in the run; a value that is not grounded was found nowhere"`
	Turns     int                   `json:"turns"`
	Cost      *float64              `json:"cost,omitempty" jsonschema:"USD, if prices are known"`
	Seconds   float64               `json:"seconds"`

	counts bool // there is an answer, and nothing speaks against using it
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
	ctx = host.UnderSpan(ctx, spanOf(req, "traceparent"), spanOf(req, "tracestate"))
	session, err := s.sessionFor(ctx, in)
	if err != nil {
		return nil, answer{}, err
	}
	var res runner.Result
	err = s.notebooks.ask(ctx, session, func(doing context.Context, n *runner.Session) error {
		doing = host.Within(doing, runner.WithBudgets(lowered(n.Budgets(), in)))
		if err := setForm(n, in.Schema); err != nil {
			return err
		}
		var err error
		res, err = follow(doing, n, in.Question, &progress{to: activityOf(ctx)})
		return err
	})
	if err == nil && !res.HasAnswer {
		err = res.Err
	}
	if err != nil {
		return nil, answer{}, fmt.Errorf("session %s: %w", session, err)
	}
	out := answerOf(session, res)
	s.publish(in.Question, out)
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}, IsError: !out.counts,
	}, out, nil
}

// setForm sets the schema of a session's answers. It removes the member "$schema": supported keywords mean the same
// in all drafts.
func setForm(n *runner.Session, schema map[string]any) error {
	if schema == nil {
		return nil
	}
	delete(schema, "$schema")
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	return n.Set(runner.WithSchema(string(text)))
}

// spanOf returns a trace header from the call's metadata, or from the HTTP request of the call.
func spanOf(req *sdk.CallToolRequest, name string) string {
	if text, ok := req.Params.Meta[name].(string); ok {
		return text
	}
	if req.Extra != nil {
		return req.Extra.Header.Get(name)
	}
	return ""
}

// sessionFor returns the session for a question.
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
	return s.notebooks.begin(ctx, inputs)
}

// follow asks the question and sends progress to the client.
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

// lowered returns b, or lower budgets if the request asks for them. A request's limit of 0 means no limit.
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
	return b.Unbounded()
}

func answerOf(session string, res runner.Result) answer {
	out := answer{
		Answer: res.Answer, HasAnswer: res.HasAnswer, Guess: res.Guess, Cut: res.CutReplies, Reply: res.Reply,
		Status: string(res.Status), Reason: res.Reason,
		Session: session, Turns: res.Turns, Cost: res.Cost, Grounding: res.Grounding, Seconds: res.Duration.Seconds(),
	}
	out.counts = out.HasAnswer && res.ExitCode() == exitcode.Answered
	for _, e := range res.Evidence {
		out.Evidence = append(out.Evidence, passage{e.Mark, e.Document, e.Part, e.Line, e.Quote})
	}
	return out
}

// text returns the answer for clients that do not read structured content.
func (a answer) text() string {
	var b strings.Builder
	if a.HasAnswer {
		b.WriteString(a.Answer + "\n")
		ended := fmt.Sprintf("%s (%s).\n", a.Reason, a.Status)
		switch status := termination.Status(a.Status); {
		case !a.counts:
			b.WriteString("\nNot to be relied on: " + ended)
		case status != termination.Completed && status != termination.PendingReview:
			b.WriteString("\nPerhaps incomplete: " + ended)
		}
		if a.Guess {
			b.WriteString("\nA guess, not to be relied on: it was given before any of the text was looked at.\n")
		}
		if a.Cut > 0 {
			fmt.Fprintf(&b, "\n%s: cut off, filtered or refused.\n", units.Of(a.Cut, "incomplete reply"))
		}
	} else {
		fmt.Fprintf(&b, "There is no answer: %s (%s).\n", a.Reason, a.Status)
		if a.Status == string(termination.NeedsInput) && !strings.HasSuffix(a.Reason, a.Reply) {
			b.WriteString("It asks: " + a.Reply + "\n")
		}
	}
	for _, e := range a.Evidence {
		fmt.Fprintf(&b, "\n%s %s, line %d: %s", e.Mark, e.Document, e.Line, e.Quote)
	}
	if line := a.Grounding.NotFound(); line != "" && line != a.Reason {
		b.WriteString("\n" + line)
	}
	fmt.Fprintf(&b, "\n[session %s]", a.Session)
	return b.String()
}

// mostPublished is the maximum number of answers listed as resources.
const mostPublished = 100

// publish lists an answer as a resource. It replaces the previous answer of the same session.
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
	s.sdk.AddResource(&sdk.Resource{
		URI: uri, Name: a.Session, Title: firstLine(question), MIMEType: "application/json",
	},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{
				Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(data)}},
			}, nil
		})
}

// progress reports what happens in a run to the client.
type progress struct {
	to    *activity
	turn  int
	wrote int // bytes of the current reply
	calls int
}

func (p *progress) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.Reading:
		p.to.note(fmt.Sprintf("reading, %d of %s", d.Documents, units.Of(d.Of, "document")))
	case trajectory.TurnStarted:
		if ev.Path == "" {
			p.turn, p.wrote = ev.Turn, 0
			p.to.say(fmt.Sprintf("turn %d", ev.Turn), false)
		}
	case trajectory.ReplyDelta:
		if ev.Path == "" {
			p.wrote += len(d.Content) + len(d.Reasoning)
			p.to.note(fmt.Sprintf("turn %d, the model has written %s", p.turn, units.Bytes(int64(p.wrote))))
		}
	case trajectory.CallRetried:
		p.to.note(fmt.Sprintf("turn %d, the model is asked again", p.turn))
	case trajectory.CellStarted:
		p.to.say("a cell is running", false)
	case trajectory.SubCallEnded:
		p.calls++
		p.to.say(fmt.Sprintf("%d sub-calls answered", p.calls), true)
	}
}
