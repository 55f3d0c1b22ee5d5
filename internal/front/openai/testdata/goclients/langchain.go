package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// langchain is LangChain for Go.
type langchain struct{ baseURL, key string }

func newLangchain(baseURL, key string) client { return langchain{baseURL, key} }

func human(text string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeHuman, text) }

func (l langchain) model(format *openai.ResponseFormat) (*openai.LLM, error) {
	return openai.New(openai.WithBaseURL(l.baseURL), openai.WithToken(l.key), openai.WithModel("rlm"), openai.WithResponseFormat(format))
}

func (l langchain) ask(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (string, error) {
	model, err := l.model(nil)
	if err != nil {
		return "", err
	}
	res, err := model.GenerateContent(ctx, messages, options...)
	if err != nil {
		return "", err
	}
	return res.Choices[0].Content, nil
}

func (l langchain) whole(ctx context.Context, question string) (string, error) {
	return l.ask(ctx, []llms.MessageContent{human(question)})
}

func (l langchain) stream(ctx context.Context, question string, piece func(string)) error {
	_, err := l.ask(ctx, []llms.MessageContent{human(question)}, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		piece(string(chunk))
		return nil
	}))
	return err
}

func (l langchain) turns(ctx context.Context, first, second string) (string, error) {
	answer, err := l.whole(ctx, first)
	if err != nil {
		return "", err
	}
	return l.ask(ctx, []llms.MessageContent{human(first), llms.TextParts(llms.ChatMessageTypeAI, answer), human(second)})
}

// typed has a model of its own: the form of answers is the model's, not the request's.
func (l langchain) typed(ctx context.Context, question string) (string, error) {
	schema, err := json.Marshal(shape)
	if err != nil {
		return "", err
	}
	format := openai.ResponseFormat{Type: "json_schema", JSONSchema: &openai.ResponseFormatJSONSchema{Name: "n", Strict: true}}
	if err := json.Unmarshal(schema, &format.JSONSchema.Schema); err != nil {
		return "", err
	}
	model, err := l.model(&format)
	if err != nil {
		return "", err
	}
	return llms.GenerateFromSinglePrompt(ctx, model, question)
}

func (l langchain) file(context.Context, string, string) (string, error) {
	return "", errors.New("it sends a file as a part of the type binary, which OpenAI does not know, and cannot name one that was uploaded")
}
