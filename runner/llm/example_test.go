package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/gorlm/rlm/runner/llm"
)

// endpoint returns a model endpoint that always sends the same response.
func endpoint(status int, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
}

// A client calls one model of an endpoint. The reply is complete when Generate returns; pieces are delivered as
// they arrive.
func ExampleNew() {
	server := endpoint(http.StatusOK, `{"choices":[{"message":{"content":"Forty-two."},"finish_reason":"stop"}]}`)
	defer server.Close() // it stands in for https://api.openai.com/v1

	client, err := llm.New(llm.Config{
		Model:      "gpt-5-mini",
		BaseURL:    server.URL,
		APIKey:     llm.NewSecret("your-key"),
		HTTPClient: &http.Client{}, // with your own proxy or certificates, if needed
		Headers:    http.Header{"X-Team": {"research"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	reply, err := client.Generate(context.Background(), llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "What is six times seven?"}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Content, reply.FinishReason)
	// Output: Forty-two. stop
}

// A failed call is an *Error. Its kind tells a person what to do about it.
func ExampleError() {
	server := endpoint(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)
	defer server.Close()
	client, err := llm.New(llm.Config{Model: "m", BaseURL: server.URL, APIKey: llm.NewSecret("wrong")})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Generate(
		context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "Hello"}}}, nil)
	var failed *llm.Error
	if errors.As(err, &failed) && failed.Kind == llm.ErrAuth {
		fmt.Println("check the API key:", failed.Status)
	}
	// Output: check the API key: 401
}

// A scripted model replaces an endpoint in tests.
func ExampleNewScripted() {
	model := llm.NewScripted("script", "first reply", "second reply")
	for range 2 {
		reply, err := model.Generate(context.Background(), llm.Request{}, nil)
		fmt.Println(reply.Content, err)
	}
	// Output:
	// first reply <nil>
	// second reply <nil>
}

// Any type with the two methods of echo is a Model.
func ExampleModel() {
	var model llm.Model = echo{}
	reply, _ := model.Generate(
		context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "echo"}}}, nil)
	fmt.Println(model.Name(), reply.Content)
	// Output: echo you said: echo
}

type echo struct{}

func (echo) Name() string { return "echo" }

func (echo) Generate(_ context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	content := "you said: " + req.Messages[len(req.Messages)-1].Content
	if on != nil {
		on(llm.Delta{Content: content})
	}
	return llm.Response{Content: content, FinishReason: "stop"}, nil
}

func ExamplePrices_Cost() {
	prices := llm.KnownPrices().With(llm.Prices{"my-model": {Input: 1, Output: 4}}) // USD per million tokens
	cost := prices.Cost("my-model", llm.Usage{Prompt: 500_000, Completion: 100_000})
	fmt.Printf("$%.2f\n", *cost)
	fmt.Println(prices.Cost("another", llm.Usage{Prompt: 1}) == nil)
	// Output:
	// $0.90
	// true
}

func ExamplePublicURL() {
	fmt.Println(llm.PublicURL("https://me:password@gateway.example/sk-abcdef123456/v1"))
	// Output: https://gateway.example/[hidden]/v1
}

// A function used as a model sees each request; call counts from 0.
func ExampleScriptedFunc() {
	model := llm.ScriptedFunc("echo", func(_ context.Context, req llm.Request, call int) (llm.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		return llm.Response{Content: fmt.Sprintf("%d: %s", call, last.Content)}, nil
	})
	for _, text := range []string{"hello", "again"} {
		req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}
		resp, err := model.Generate(context.Background(), req, nil)
		fmt.Println(resp.Content, err)
	}
	// Output:
	// 0: hello <nil>
	// 1: again <nil>
}
