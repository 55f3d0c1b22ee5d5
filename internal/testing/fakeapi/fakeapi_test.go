package fakeapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"
)

func plainClient(s *Server) *openai.Client {
	cfg := openai.DefaultConfig("key")
	cfg.BaseURL = s.URL()
	return openai.NewClientWithConfig(cfg)
}

func chat(text string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{
		Model: "m", StreamOptions: nil, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: text}},
	}
}

// An independent client must understand a well-behaved reply.
func TestAClientOfOthersUnderstands(t *testing.T) {
	rules, err := Parse(`
=== match="stream it" piece_size=3 reasoning="let me think"
Hello, wörld!
=== match="in one piece" prompt_tokens=7
Hello again
=== status=429 header.Retry-After=3
slow down
`)
	require.NoError(t, err)
	s := Start(rules...)
	defer s.Close()
	client := plainClient(s)

	stream, err := client.CreateChatCompletionStream(context.Background(), chat("please stream it"))
	require.NoError(t, err)
	defer stream.Close()
	var text, thought strings.Builder
	finish := openai.FinishReason("")
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
			thought.WriteString(c.Delta.ReasoningContent)
			if c.FinishReason != "" {
				finish = c.FinishReason
			}
		}
	}
	require.Equal(t, "Hello, wörld!", text.String())
	require.Equal(t, "let me think", thought.String())
	require.Equal(t, openai.FinishReasonStop, finish)

	resp, err := client.CreateChatCompletion(context.Background(), chat("in one piece"))
	require.NoError(t, err)
	require.Equal(t, "Hello again", resp.Choices[0].Message.Content)
	require.Equal(t, 7, resp.Usage.PromptTokens)

	_, err = client.CreateChatCompletion(context.Background(), chat("once more"))
	var apiErr *openai.APIError
	require.ErrorAs(t, err, &apiErr)
	require.Equal(t, http.StatusTooManyRequests, apiErr.HTTPStatusCode)
	require.Equal(t, "slow down", apiErr.Message)

	_, err = client.CreateChatCompletion(context.Background(), chat("nothing is left"))
	require.ErrorContains(t, err, "no reply left")
	require.Len(t, s.Requests(), 4)
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for script, says := range map[string]string{
		"=== nonsense=1\n":      "no such key",
		"=== status=many\n":     "status=many",
		"=== match=\"open\n":    "not closed",
		"=== delay=soon\nhello": "delay=soon",
	} {
		_, err := Parse(script)
		require.ErrorContains(t, err, says, script)
	}
}
