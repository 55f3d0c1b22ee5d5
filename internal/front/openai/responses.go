package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// responseFields are the fields of responses.
var responseFields = fields{
	"model": {}, "input": {long: true}, "instructions": {}, "stream": {}, "stream_options": {}, "text": {},
	"max_output_tokens": {}, "temperature": {},
	"reasoning": {}, "metadata": {}, "previous_response_id": {}, "conversation": {}, "background": {}, "store": {},
	"rlm": {},

	"user": {use: accepted}, "safety_identifier": {use: accepted}, "prompt_cache_key": {use: accepted},
	"prompt_cache_retention": {use: accepted},
	"parallel_tool_calls":    {use: accepted}, "truncation": {use: accepted},

	"top_p": {use: ignored, ok: []string{"1"}}, "service_tier": {use: ignored, ok: []string{`"auto"`, `"default"`}},
	"max_tool_calls": {use: ignored},

	"tools": {
		use: defaulted, ok: []string{"[]"},
		why: "tools are configured when the server starts (rlm serve --mcp)",
	},
	"tool_choice":  {use: defaulted, ok: []string{`"none"`, `"auto"`}, why: "there are no tools to choose from"},
	"top_logprobs": {use: defaulted, ok: []string{"0"}, why: "a run's answer has no token probabilities"},
	"include": {
		use: defaulted, ok: []string{"[]", `["reasoning.encrypted_content"]`},
		why: "nothing can be included besides what is always there",
	},
	"prompt":             {use: defaulted, why: "this server stores no prompt templates"},
	"context_management": {use: defaulted, ok: []string{"[]"}, why: "a run manages its own context"},
}

// respond answers a request for a response.
func (a *API) respond(w http.ResponseWriter, r *http.Request) error {
	run, events, err := a.take(w, r, "resp_", responseFields, a.responseOnly)
	if err != nil {
		return err
	}
	defer run.part(r)
	switch {
	case events != nil:
		run.streamResponse(events, r)
	case run.ask.background:
		send(w, http.StatusOK, run.response())
	default:
		return run.whole(w, r, func() any { return run.response() })
	}
	return nil
}

// responseOnly reads the fields that only responses have.
func (a *API) responseOnly(q *ask, in *request) (err error) {
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
	store := true
	for name, v := range map[string]any{
		"stream_options": &options, "max_output_tokens": &q.replies, "text": &text, "reasoning": &reasoning,
		"store": &store,
	} {
		if err := value(in.fields, name, v); err != nil {
			return err
		}
	}
	if q.replies < 0 {
		return wrong("max_output_tokens", "'max_output_tokens' must be a positive number")
	}
	if text.Verbosity != "" && text.Verbosity != "medium" {
		q.ignored = append(q.ignored, "text.verbosity")
	}
	if q.unstored = !store; q.unstored && q.background {
		return wrong("store", "a background answer must be stored: leave out 'store', or set it to true")
	}
	q.effort = reasoning.Effort
	if err := q.readConversation(in.fields["conversation"]); err != nil {
		return err
	}
	if q.schema, err = a.responseFormat(text.Format); err != nil {
		return err
	}
	if q.messages, err = a.items(q, in.fields["input"]); err != nil {
		return err
	}
	return q.check()
}

// readConversation reads the id of a conversation. The first question with an id begins the conversation.
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
		err = wrong("conversation", "'conversation' and 'previous_response_id' cannot be used together")
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
	return "", notHonoured("text.format.type", "it must be text, json_schema or json_object")
}

// items reads the input of a response: a text, or a list of items.
func (a *API) items(q *ask, raw json.RawMessage) ([]message, error) {
	if isText(raw) {
		parts, err := q.held.content(raw, "input")
		return []message{{roleUser, parts}}, err
	}
	all, err := elements(raw, "input")
	if err != nil {
		return nil, wrong("input", "'input' must be a text or a list of items")
	}
	var out []message
	for i, raw := range all {
		m, ok, err := a.item(q, raw, fmt.Sprintf("input[%d]", i))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, m)
		}
	}
	return out, nil
}

// item reads an item of the input. ok is false for the progress of an earlier answer, which is not needed.
func (a *API) item(q *ask, raw json.RawMessage, at string) (m message, ok bool, err error) {
	var head struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Role string `json:"role"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return m, false, wrong(at, "'"+at+"' is an item")
	}
	if head.Type == "" && head.Role == "" && head.ID != "" { // the type is optional in references
		head.Type = "item_reference"
	}
	switch head.Type {
	case "message", "":
	case "reasoning":
		return m, false, nil
	case "item_reference":
		return a.referenced(q.who, head.ID)
	default:
		return m, false, notHonoured(at+".type", "items of this type are not supported: '"+text.Short(head.Type, 64)+
			"'; use messages with text and files")
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
		return m, false, wrong(at+".role", "a message's role must be one of "+strings.Join(roles, ", "))
	}
	m.role = one.Role
	if m.role == "developer" {
		m.role = roleSystem
	}
	m.parts, err = q.held.content(one.Content, at+".content")
	return m, true, err
}

// referenced returns an item of an earlier answer to which a client refers instead of sending it again. ok is false
// for progress, which is not needed.
func (a *API) referenced(who Caller, id string) (m message, ok bool, err error) {
	missing := &Failure{
		Status: http.StatusNotFound, Code: "item_not_found", Param: "input",
		Message: "item with id '" + text.Short(id, 64) + "' not found",
	}
	kind, of, _ := strings.Cut(id, "_")
	t, known := a.turns.of(who, "resp_"+of)
	if !known || kind != "rs" && kind != "msg" {
		return m, false, missing
	}
	if kind == "rs" {
		return m, false, nil
	}
	l, err := a.cfg.Sessions.Find(who, t.Session)
	if err != nil {
		return m, false, missing
	}
	runs, err := runsOf(l.Dir())
	if err != nil {
		return m, false, err
	}
	i := t.among(runs)
	if i < 0 || runs[i].end == nil || !runs[i].end.HasAnswer {
		return m, false, missing
	}
	return message{roleAssistant, []part{{text: runs[i].end.Answer}}}, true, nil
}

// inputItem is an item of a response's input.
type inputItem struct {
	ID      string      `json:"id"`
	Type    string      `json:"type"`
	Status  string      `json:"status"`
	Role    string      `json:"role"`
	Content []inputText `json:"content"`
}

type inputText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// inputItems sends the input of a response: the question that its run was asked.
func (a *API) inputItems(w http.ResponseWriter, r *http.Request) error {
	run, err := a.recalled(r)
	if err != nil {
		return err
	}
	defer run.leave()
	runs, err := runsOf(run.session.Dir())
	if err != nil {
		return err
	}
	out := struct {
		list[inputItem]
		First *string `json:"first_id"`
		Last  *string `json:"last_id"`
	}{list: list[inputItem]{Object: "list", Data: []inputItem{}}}
	if i := run.turn.among(runs); i >= 0 {
		id := run.itemID("msgin")
		out.Data = append(out.Data,
			inputItem{id, "message", completed, roleUser, []inputText{{"input_text", runs[i].question}}})
		out.First, out.Last = &id, &id
	}
	send(w, http.StatusOK, out)
	return nil
}

// getResponse sends an earlier response, or its stream.
func (a *API) getResponse(w http.ResponseWriter, r *http.Request) error {
	run, err := a.recalled(r)
	if err != nil {
		return err
	}
	defer run.leave()
	switch stream := r.URL.Query().Get("stream") == "true"; {
	case stream && r.Method == http.MethodHead: // its connection would be held by a stream that nobody reads
		w.Header().Set("Content-Type", streamType)
		return nil
	case stream:
		run.streamResponse(newStream(w), r)
		return nil
	}
	out := run.response()
	if len(out.Output) > 0 { // add the progress, which also precedes the answer in the stream
		said := responseStream{run: run}
		if err := said.recall(r.Context()); err != nil {
			return err
		}
		out.Output = append([]any{said.reasoning(completed)}, out.Output...)
	}
	send(w, http.StatusOK, out)
	return nil
}

// recalled returns the run of an earlier response. The caller must leave it.
func (a *API) recalled(r *http.Request) (*run, error) {
	who, id := a.cfg.Who(r), r.PathValue("id")
	missing := &Failure{
		Status: http.StatusNotFound, Code: "response_not_found", Param: "id",
		Message: "response with id '" + text.Short(id, 64) + "' not found",
	}
	t, ok := a.turns.of(who, id)
	if !ok || !strings.HasPrefix(id, "resp_") {
		return nil, missing
	}
	if run, err := a.running(r.Context(), id); run != nil || err != nil {
		return run, err
	}
	l, err := a.cfg.Sessions.Find(who, t.Session)
	if err != nil {
		return nil, missing
	}
	runs, err := runsOf(l.Dir())
	if err != nil {
		return nil, err
	}
	run := a.over(&ask{who: who, kind: "resp_", model: t.Model, background: t.Background}, t, l, nil)
	run.err = &Failure{
		Status: http.StatusInternalServerError, Code: "interrupted",
		Message: "the server stopped before the answer was ready; send it again with the same Idempotency-Key, or run 'rlm resume " + t.Session +
			"', to continue",
	}
	if i := t.among(runs); i >= 0 {
		run.end, run.after = runs[i].end, runs[i].before
	}
	return run, nil
}

func (a *API) deleteResponse(w http.ResponseWriter, r *http.Request) error {
	who, id := a.cfg.Who(r), r.PathValue("id")
	t, ok := a.turns.of(who, id)
	if !ok {
		return &Failure{
			Status: http.StatusNotFound, Code: "response_not_found", Param: "id",
			Message: "response with id '" + text.Short(id, 64) + "' not found",
		}
	}
	t.Deleted = true
	if err := a.turns.keep(t); err != nil {
		return err
	}
	send(w, http.StatusOK, deletion{id, "response", true})
	return nil
}

// cancelResponse stops a background run.
func (a *API) cancelResponse(w http.ResponseWriter, r *http.Request) error {
	run, err := a.recalled(r)
	if err != nil {
		return err
	}
	defer run.leave()
	if !run.ask.background {
		return wrong("id", "only a background response can be cancelled; to stop another one, close its connection")
	}
	run.stop()
	if err := run.wait(r.Context()); err != nil {
		return err
	}
	send(w, http.StatusOK, run.response())
	return nil
}
