package openai_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
	"github.com/sashabaranov/go-openai/jsonschema"
	"github.com/stretchr/testify/require"
)

// TestGoClient: a third-party client for Go chats, streams, continues in the same notebook, and uses typed answers
// and files.
func TestGoClient(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	cfg := goopenai.DefaultConfig(s.token)
	cfg.BaseURL = s.url + "v1"
	c := goopenai.NewClientWithConfig(cfg)
	user := func(text string) goopenai.ChatCompletionMessage {
		return goopenai.ChatCompletionMessage{Role: "user", Content: text}
	}
	chat := func(req goopenai.ChatCompletionRequest) goopenai.ChatCompletionMessage {
		req.Model = "rlm"
		res, err := c.CreateChatCompletion(t.Context(), req)
		require.NoError(t, err)
		return res.Choices[0].Message
	}
	seed := 1
	first := chat(goopenai.ChatCompletionRequest{
		Messages: []goopenai.ChatCompletionMessage{user("do: x := 1 ;; FINAL(x)")}, Seed: &seed, TopP: 0.5,
	})
	require.Equal(t, "1", first.Content)
	second := chat(goopenai.ChatCompletionRequest{
		Messages: []goopenai.ChatCompletionMessage{user("do: x := 1 ;; FINAL(x)"), first, user("do: x++; FINAL(x)")},
	})
	require.Equal(t, "2", second.Content)

	stream, err := c.CreateChatCompletionStream(t.Context(), goopenai.ChatCompletionRequest{
		Model: "rlm", Messages: []goopenai.ChatCompletionMessage{user(`do: FINAL(strings.Repeat("abc ", 20000))`)},
	})
	require.NoError(t, err)
	var answer strings.Builder
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		for _, choice := range chunk.Choices {
			answer.WriteString(choice.Delta.Content)
		}
	}
	require.NoError(t, stream.Close())
	require.Equal(t, strings.Repeat("abc ", 20000), answer.String())

	typed := chat(goopenai.ChatCompletionRequest{
		Messages: []goopenai.ChatCompletionMessage{user("do: FINAL(Answer{N: 7})")},
		ResponseFormat: &goopenai.ChatCompletionResponseFormat{
			Type: "json_schema", JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{
				Name: "n", Schema: &jsonschema.Definition{
					Type: "object", Required: []string{"n"}, AdditionalProperties: false,
					Properties: map[string]jsonschema.Definition{"n": {Type: "integer"}},
				},
			},
		},
	})
	require.JSONEq(t, `{"n": 7}`, typed.Content)

	file, err := c.CreateFileBytes(
		t.Context(), goopenai.FileBytesRequest{Name: "hay.txt", Bytes: []byte("hay"), Purpose: "assistants"})
	require.NoError(t, err)
	require.Equal(t, "hay.txt", file.FileName)
	require.NoError(t, c.DeleteFile(t.Context(), file.ID))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.CreateChatCompletion(ctx,
		goopenai.ChatCompletionRequest{Model: "rlm", Messages: []goopenai.ChatCompletionMessage{user("do: FINAL(1)")}})
	require.ErrorIs(t, err, context.Canceled)
	_, err = c.CreateChatCompletion(t.Context(), goopenai.ChatCompletionRequest{
		Model: "rlm", Messages: []goopenai.ChatCompletionMessage{user("do: FINAL(1)")}, Stop: []string{"x"},
	})
	refused, ok := errors.AsType[*goopenai.APIError](err)
	require.True(t, ok)
	require.Equal(t, 400, refused.HTTPStatusCode)
}
