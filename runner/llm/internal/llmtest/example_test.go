package llmtest_test

import (
	"testing"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/internal/llmtest"
)

// A provider of one's own is checked in a test of its package: against an endpoint that answers as the suite directs it,
// in the provider's own words. The suite says what it does not do as the rest of the program expects.
func ExampleRun() {
	var (
		t        *testing.T     // of func TestMyProvider(t *testing.T)
		model    llm.Model      // made with the endpoint's address and a key
		endpoint llmtest.Server // for example an httptest.Server that turns each llmtest.Reply into a response
	)
	_ = func() {
		llmtest.Run(t, model, endpoint, llmtest.WithKey("my-key"), llmtest.WithoutReasoning())
	}
}
