package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// responseFields are those of responses.
var responseFields = fields{
	"model": {}, "input": {}, "instructions": {}, "stream": {}, "stream_options": {}, "text": {}, "max_output_tokens": {}, "temperature": {},
	"reasoning": {}, "metadata": {}, "previous_response_id": {}, "conversation": {}, "background": {}, "rlm": {},

	"user": {use: accepted}, "safety_identifier": {use: accepted}, "prompt_cache_key": {use: accepted}, "prompt_cache_retention": {use: accepted},
	"parallel_tool_calls": {use: accepted}, "truncation": {use: accepted},

	"store":              {use: defaulted, ok: []string{"true"}, why: "every run is kept in the server's data folder; delete the session to be rid of it"},
	"tools":              {use: defaulted, ok: []string{"[]"}, why: "tools of other programs are named when the server starts (rlm serve --mcp)"},
	"tool_choice":        {use: defaulted, ok: []string{`"none"`, `"auto"`}, why: "there are no tools to choose from"},
	"max_tool_calls":     {use: defaulted, why: "there are no tools to call; rlm.max_sub_calls bounds the calls of models"},
	"top_p":              {use: defaulted, ok: []string{"1", "1.0"}, why: "it belongs to a single call of a model, and a run makes many"},
	"top_logprobs":       {use: defaulted, ok: []string{"0"}, why: "the answer of a run is no text with probabilities"},
	"include":            {use: defaulted, ok: []string{"[]", `["reasoning.encrypted_content"]`}, why: "there is nothing to include besides what is always there"},
	"prompt":             {use: defaulted, why: "templates of prompts are kept nowhere here"},
	"service_tier":       {use: defaulted, ok: []string{`"auto"`, `"default"`}, why: "there is one tier"},
	"context_management": {use: defaulted, ok: []string{"[]"}, why: "a run looks after its conversation by itself"},
}

// respond answers a request for a response.
func (a *API) respond(w http.ResponseWriter, r *http.Request) error {
	run, err := a.take(w, r, "resp_", responseFields, a.responseOnly)
	if err != nil {
		return err
	}
	defer run.leave()
	switch {
	case run.ask.stream:
		run.streamResponse(w, r)
	case run.ask.background:
		send(w, http.StatusOK, run.response())
	default:
		if err := run.wait(r.Context()); err != nil {
			return err
		}
		if f := run.failure(); f != nil {
			return f
		}
		send(w, http.StatusOK, run.response())
	}
	return nil
}

// responseOnly reads what only responses have.
func (a *API) responseOnly(q *ask, in map[string]json.RawMessage) (err error) {
	var options struct {
		Obfuscation bool `json:"include_obfuscation"`
	}
	var text struct {
		Format    json.RawMessage `json:"format"`
		Verbosity string          `json:"verbosity"`
	}
	var reasoning struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
		Old     string `json:"generate_summary"`
	}
	for name, v := range map[string]any{"stream_options": &options, "max_output_tokens": &q.replies, "text": &text, "reasoning": &reasoning} {
		if err := value(in, name, v); err != nil {
			return err
		}
	}
	if q.replies < 0 {
		return wrong("max_output_tokens", "'max_output_tokens' is a positive number")
	}
	if text.Verbosity != "" && text.Verbosity != "medium" {
		return notHonoured("text.verbosity", "say in the question how long the answer should be")
	}
	q.effort = reasoning.Effort
	if err := q.readConversation(in["conversation"]); err != nil {
		return err
	}
	if q.schema, err = a.responseFormat(text.Format); err != nil {
		return err
	}
	if q.messages, err = input(in["input"]); err != nil {
		return err
	}
	return q.check()
}

// readConversation reads the name of a conversation. The first question under a name begins it.
func (q *ask) readConversation(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var named struct {
		ID string `json:"id"`
	}
	var err error
	if isText(raw) {
		err = decode(raw, "conversation", &named.ID)
	} else {
		err = decode(raw, "conversation", &named)
	}
	if err == nil && q.previous != "" {
		err = wrong("conversation", "'conversation' and 'previous_response_id' cannot be there together")
	}
	q.conversation = named.ID
	if err == nil {
		err = checkConversation(q.conversation)
	}
	return err
}

func (a *API) responseFormat(raw json.RawMessage) (string, error) {
	var format struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      *bool           `json:"strict"`
		Schema      json.RawMessage `json:"schema"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if err := decode(raw, "text.format", &format); err != nil {
		return "", err
	}
	switch {
	case format.Type == "text":
		return "", nil
	case format.Type == "json_schema" && len(format.Schema) > 0:
		return a.form("text.format", format.Schema)
	case format.Type == "json_schema":
		return "", wrong("text.format", "'text.format.schema' is missing")
	case format.Type == "json_object":
		return a.form("text.format", json.RawMessage(anyObject))
	}
	return "", notHonoured("text.format.type", "it is text, json_schema or json_object")
}

// input reads what a response answers: a text, or a list of items.
func input(raw json.RawMessage) ([]message, error) {
	if isText(raw) {
		var text string
		err := decode(raw, "input", &text)
		return []message{{roleUser, []part{{text: text}}}}, err
	}
	all, err := elements(raw, "input")
	if err != nil {
		return nil, wrong("input", "'input' is a text or a list of items")
	}
	var out []message
	for i, raw := range all {
		m, ok, err := item(raw, fmt.Sprintf("input[%d]", i))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, m)
		}
	}
	return out, nil
}

// item reads an item of the input. What an earlier answer told of its progress says nothing new.
func item(raw json.RawMessage, at string) (m message, ok bool, err error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return m, false, wrong(at, "'"+at+"' is an item")
	}
	switch head.Type {
	case "message", "":
	case "reasoning":
		return m, false, nil
	default:
		return m, false, notHonoured(at+".type", "there is no way to serve an item of type '"+cut(head.Type, 64)+"'; messages of text and files can be served")
	}
	var one struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Status  string          `json:"status"`
		Phase   json.RawMessage `json:"phase"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := decode(raw, at, &one); err != nil {
		return m, false, err
	}
	roles := []string{"system", "developer", roleUser, roleAssistant}
	if !slices.Contains(roles, one.Role) {
		return m, false, wrong(at+".role", "a message's role is one of "+strings.Join(roles, ", "))
	}
	m.role = one.Role
	if m.role == "developer" {
		m.role = roleSystem
	}
	m.parts, err = content(one.Content, at+".content")
	return m, true, err
}

// getResponse tells what became of a response.
func (a *API) getResponse(w http.ResponseWriter, r *http.Request) error {
	run, err := a.recalled(r)
	if err != nil {
		return err
	}
	defer run.leave()
	if r.URL.Query().Get("stream") == "true" {
		run.streamResponse(w, r)
		return nil
	}
	send(w, http.StatusOK, run.response())
	return nil
}

// recalled is the run of a response that was asked for before. Leave it.
func (a *API) recalled(r *http.Request) (*run, error) {
	who, id := a.cfg.Who(r), r.PathValue("id")
	missing := &Failure{Status: http.StatusNotFound, Code: "response_not_found", Param: "id", Message: "response with id '" + cut(id, 64) + "' not found"}
	t, ok := a.turns.of(who.Name, id)
	if !ok || !strings.HasPrefix(id, "resp_") {
		return nil, missing
	}
	if run, err := a.running(r.Context(), id); run != nil || err != nil {
		return run, err
	}
	l, err := a.cfg.Sessions.Get(t.Session)
	if err != nil || !a.cfg.May(who, l.ID()) {
		return nil, missing
	}
	runs, err := runsOf(l.Dir())
	if err != nil {
		return nil, err
	}
	run := a.over(&ask{who: who, kind: "resp_", model: t.Model, background: t.Background}, t, l, nil)
	run.err = &Failure{Status: http.StatusInternalServerError, Code: "interrupted", Message: "the server ended before the answer was there; the same Idempotency-Key, or 'rlm resume " + t.Session + "', goes on with it"}
	if i := t.among(runs); i >= 0 {
		run.end = runs[i].end
	}
	return run, nil
}

func (a *API) deleteResponse(w http.ResponseWriter, r *http.Request) error {
	who, id := a.cfg.Who(r), r.PathValue("id")
	t, ok := a.turns.of(who.Name, id)
	if !ok {
		return &Failure{Status: http.StatusNotFound, Code: "response_not_found", Param: "id", Message: "response with id '" + cut(id, 64) + "' not found"}
	}
	t.Deleted = true
	if err := a.turns.keep(t); err != nil {
		return err
	}
	send(w, http.StatusOK, deleted{id, "response", true})
	return nil
}

// cancelResponse ends a run that goes on in the background.
func (a *API) cancelResponse(w http.ResponseWriter, r *http.Request) error {
	run, err := a.recalled(r)
	if err != nil {
		return err
	}
	defer run.leave()
	if !run.ask.background {
		return wrong("id", "only a response with 'background' can be cancelled; end the connection of another one")
	}
	run.stop()
	if err := run.wait(r.Context()); err != nil {
		return err
	}
	send(w, http.StatusOK, run.response())
	return nil
}
