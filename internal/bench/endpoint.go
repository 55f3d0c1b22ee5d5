package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

// endpoint speaks OpenAI's chat completions: it answers turns immediately, from a script, and sub-calls with a
// delay.
type endpoint struct {
	http   *httptest.Server
	script atomic.Pointer[script]
}

// script is the model's replies.
type script struct {
	turn  func(n int) string // reply to the nth turn of a run, from 0
	child string             // reply to each turn of a child run
	took  time.Duration      // delay of a sub-call
}

// Prompts start with these words, by which the endpoint tells them apart.
const (
	subPrompt   = "sub-call "
	childPrompt = "child run "
)

func serve() *endpoint {
	e := &endpoint{}
	e.http = httptest.NewServer(e)
	return e
}

func (e *endpoint) url() string { return e.http.URL + "/v1" }

// play makes the endpoint reply from a script from now on.
func (e *endpoint) play(s script) { e.script.Store(&s) }

// ServeHTTP answers one call.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Messages []struct{ Role, Content string }
		Stream   bool
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil || len(call.Messages) == 0 {
		http.Error(w, `{"error":{"message":"no chat completion"}}`, http.StatusBadRequest)
		return
	}
	s := e.script.Load()
	turn, child := 0, false
	for _, m := range call.Messages {
		if m.Role == "assistant" {
			turn++
		}
		child = child || m.Role == "user" && strings.Contains(m.Content, childPrompt)
	}
	last := call.Messages[len(call.Messages)-1].Content
	var text string
	switch {
	case strings.HasPrefix(last, subPrompt):
		time.Sleep(s.took)
		text = "re " + last
	case child:
		text = s.child
	default:
		text = s.turn(turn)
	}
	reply(w, text, call.Stream)
}

const usage = `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`

func reply(w http.ResponseWriter, text string, stream bool) {
	quoted, _ := json.Marshal(text) // a string always can be encoded
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":%s}`, quoted, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":null}]}\n\n", quoted)
	fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":%s}\n\ndata: [DONE]\n\n", usage)
}

// cell is a reply with one cell.
func cell(source string) string { return "```go\n" + source + "\n```" }

// steps is a script of n turns, each with a small cell; the last one ends the run.
func steps(n int) script {
	return script{turn: func(i int) string {
		if i >= n-1 {
			return cell(`FINAL("done")`)
		}
		return cell(fmt.Sprintf("step%d := %d\nfmt.Println(step%d)", i, i, i))
	}}
}

// subCalls is a script whose only cell makes a batch of n sub-calls.
func subCalls(n int, took time.Duration) script {
	return script{took: took, turn: func(int) string {
		return cell(fmt.Sprintf("prompts := make([]string, %d)\nfor i := range prompts { prompts[i] = fmt.Sprint(%q, i) }\nFINAL(len(llm_query_batched(prompts)))", n, subPrompt))
	}}
}

// children is a script whose only cell starts n child runs.
func children(n int) script {
	return script{child: cell(`FINAL(len(context))`), turn: func(int) string {
		return cell(fmt.Sprintf("prompts := make([]string, %d)\nfor i := range prompts { prompts[i] = fmt.Sprint(%q, i) }\nFINAL(len(rlm_query_batched(prompts, context)))", n, childPrompt))
	}}
}
