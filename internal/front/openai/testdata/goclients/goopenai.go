package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/sashabaranov/go-openai"
)

// goChat is go-openai, of chat completions.
type goChat struct{ *openai.Client }

func newGoChat(baseURL, key string) client { return goChat{newGo(baseURL, key)} }

func newGo(baseURL, key string) *openai.Client {
	config := openai.DefaultConfig(key)
	config.BaseURL = baseURL
	return openai.NewClientWithConfig(config)
}

func goUser(text string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text}
}

func goRequest(messages ...openai.ChatCompletionMessage) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: "rlm", Messages: messages}
}

func (g goChat) ask(ctx context.Context, req openai.ChatCompletionRequest) (openai.ChatCompletionMessage, error) {
	res, err := g.CreateChatCompletion(ctx, req)
	if err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return res.Choices[0].Message, nil
}

func (g goChat) whole(ctx context.Context, question string) (string, error) {
	message, err := g.ask(ctx, goRequest(goUser(question)))
	return message.Content, err
}

func (g goChat) stream(ctx context.Context, question string, piece func(string)) error {
	stream, err := g.CreateChatCompletionStream(ctx, goRequest(goUser(question)))
	if err != nil {
		return err
	}
	defer stream.Close()
	return all(stream.Recv, func(chunk openai.ChatCompletionStreamResponse) {
		for _, choice := range chunk.Choices {
			piece(choice.Delta.Content)
		}
	})
}

// all hands out what a stream has until it ends.
func all[T any](receive func() (T, error), each func(T)) error {
	for {
		one, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(one)
	}
}

func (g goChat) turns(ctx context.Context, first, second string) (string, error) {
	answer, err := g.ask(ctx, goRequest(goUser(first)))
	if err != nil {
		return "", err
	}
	answer, err = g.ask(ctx, goRequest(goUser(first), answer, goUser(second)))
	return answer.Content, err
}

func (g goChat) typed(ctx context.Context, question string) (string, error) {
	schema, err := json.Marshal(shape)
	if err != nil {
		return "", err
	}
	req := goRequest(goUser(question))
	req.ResponseFormat = &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "n", Strict: true, Schema: json.RawMessage(schema)},
	}
	message, err := g.ask(ctx, req)
	return message.Content, err
}

func (g goChat) file(context.Context, string, string) (string, error) {
	return "", errors.New("its chat messages have parts for text and pictures only")
}

// goReply is go-openai, of responses.
type goReply struct{ *openai.Client }

func newGoResponses(baseURL, key string) client { return goReply{newGo(baseURL, key)} }

func (g goReply) ask(ctx context.Context, req openai.CreateResponseRequest) (string, error) {
	res, err := g.CreateResponse(ctx, req)
	return res.GetOutputText(), err
}

func (g goReply) whole(ctx context.Context, question string) (string, error) {
	return g.ask(ctx, openai.CreateResponseRequest{Model: "rlm", Input: question})
}

func (g goReply) stream(ctx context.Context, question string, piece func(string)) error {
	stream, err := g.CreateResponseStream(ctx, openai.CreateResponseRequest{Model: "rlm", Input: question})
	if err != nil {
		return err
	}
	defer stream.Close()
	return all(stream.Recv, func(event openai.ResponseStreamEvent) {
		if event.Type == openai.ResponseStreamEventOutputTextDelta {
			piece(event.Delta)
		}
	})
}

func (g goReply) turns(ctx context.Context, first, second string) (string, error) {
	res, err := g.CreateResponse(ctx, openai.CreateResponseRequest{Model: "rlm", Input: first})
	if err != nil {
		return "", err
	}
	return g.ask(ctx, openai.CreateResponseRequest{Model: "rlm", Input: second, PreviousResponseID: res.ID})
}

func (g goReply) typed(ctx context.Context, question string) (string, error) {
	return g.ask(ctx, openai.CreateResponseRequest{
		Model: "rlm", Input: question,
		Text: &openai.ResponseTextConfig{Format: &openai.ResponseTextFormat{Type: "json_schema", Name: "n", Strict: true, Schema: shape}},
	})
}

func (g goReply) file(ctx context.Context, question, text string) (string, error) {
	file, err := g.CreateFileBytes(ctx, openai.FileBytesRequest{Name: "hay.txt", Bytes: []byte(text), Purpose: openai.PurposeAssistants})
	if err != nil {
		return "", err
	}
	content := []any{openai.ResponseInputFile{Type: "input_file", FileID: file.ID}, openai.ResponseInputText{Type: "input_text", Text: question}}
	return g.ask(ctx, openai.CreateResponseRequest{Model: "rlm", Input: []any{openai.ResponseInputMessage{Role: "user", Content: content}}})
}
