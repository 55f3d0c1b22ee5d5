package sandbox_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/sandbox"
)

// Cells run in a worker process that is locked in as far as the machine allows. Their calls to a model arrive at
// Call.
func ExampleSession() {
	ctx := context.Background()
	s, err := sandbox.New(ctx, sandbox.Config{
		Builtins: builtins.Standard(answer.Response),
		Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
			return sandbox.Reply{Body: []byte(strings.ToUpper(string(c.Body)))}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, source := range []string{`reply := llm_query("hello")`, `FINAL(reply + "!")`, `os.ReadFile("/etc/passwd")`} {
		res, err := s.Run(ctx, sandbox.Cell{Source: source})
		switch {
		case err != nil:
			fmt.Println(err)
		case res.Error != nil:
			fmt.Println(res.Error.Kind)
		case res.Final != nil:
			fmt.Println("answer:", res.Final.Answer)
		}
	}
	// Output:
	// answer: HELLO!
	// CompileError
}
