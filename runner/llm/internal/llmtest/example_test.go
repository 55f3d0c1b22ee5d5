package llmtest_test

import (
	"testing"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/internal/llmtest"
)

// Check your own provider in a test of its package, against an endpoint that answers in the provider's format as
// the suite directs. The suite reports where the provider violates the contract.
func ExampleRun() {
	var (
		t        *testing.T     // the parameter of TestMyProvider
		model    llm.Model      // made with the endpoint's address and a key
		endpoint llmtest.Server // for example an httptest.Server that turns each llmtest.Reply into a response
	)
	_ = func() {
		llmtest.Run(t, model, endpoint, llmtest.WithKey("my-key"), llmtest.WithoutReasoning())
	}
}
