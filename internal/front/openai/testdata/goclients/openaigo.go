package main

import (
	"context"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// chat is OpenAI's own client, of its chat completions.
type chat struct{ openai.Client }

func newChat(baseURL, key string) client {
	return chat{openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(key))}
}

func user(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "rlm", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

func (c chat) ask(ctx context.Context, params openai.ChatCompletionNewParams) (openai.ChatCompletionMessage, error) {
	res, err := c.Chat.Completions.New(ctx, params)
	if err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return res.Choices[0].Message, nil
}

func (c chat) whole(ctx context.Context, question string) (string, error) {
	message, err := c.ask(ctx, user(question))
	return message.Content, err
}

func (c chat) stream(ctx context.Context, question string, piece func(string)) error {
	stream := c.Chat.Completions.NewStreaming(ctx, user(question))
	defer stream.Close()
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			piece(choice.Delta.Content)
		}
	}
	return stream.Err()
}

func (c chat) turns(ctx context.Context, first, second string) (string, error) {
	params := user(first)
	message, err := c.ask(ctx, params)
	if err != nil {
		return "", err
	}
	params.Messages = append(params.Messages, message.ToParam(), openai.UserMessage(second))
	message, err = c.ask(ctx, params)
	return message.Content, err
}

func (c chat) typed(ctx context.Context, question string) (string, error) {
	params := user(question)
	params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "n", Strict: openai.Bool(true), Schema: shape},
	}
	message, err := c.ask(ctx, params)
	return message.Content, err
}

func (c chat) file(ctx context.Context, question, text string) (string, error) {
	id, err := upload(ctx, c.Client, text)
	if err != nil {
		return "", err
	}
	params := openai.ChatCompletionNewParams{Model: "rlm", Messages: []openai.ChatCompletionMessageParamUnion{
		openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{FileID: openai.String(id)}), openai.TextContentPart(question),
		}),
	}}
	message, err := c.ask(ctx, params)
	return message.Content, err
}

func upload(ctx context.Context, c openai.Client, text string) (string, error) {
	file, err := c.Files.New(ctx, openai.FileNewParams{
		File: openai.File(strings.NewReader(text), "hay.txt", "text/plain"), Purpose: openai.FilePurposeUserData,
	})
	if err != nil {
		return "", err
	}
	return file.ID, nil
}

// reply is OpenAI's own client, of its responses.
type reply struct{ openai.Client }

func newResponses(baseURL, key string) client {
	return reply{openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(key))}
}

func input(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "rlm", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

func (r reply) ask(ctx context.Context, params responses.ResponseNewParams) (text, id string, err error) {
	res, err := r.Responses.New(ctx, params)
	if err != nil {
		return "", "", err
	}
	return res.OutputText(), res.ID, nil
}

func (r reply) whole(ctx context.Context, question string) (string, error) {
	text, _, err := r.ask(ctx, input(question))
	return text, err
}

func (r reply) stream(ctx context.Context, question string, piece func(string)) error {
	stream := r.Responses.NewStreaming(ctx, input(question))
	defer stream.Close()
	for stream.Next() {
		if delta, ok := stream.Current().AsAny().(responses.ResponseTextDeltaEvent); ok {
			piece(delta.Delta)
		}
	}
	return stream.Err()
}

func (r reply) turns(ctx context.Context, first, second string) (string, error) {
	_, id, err := r.ask(ctx, input(first))
	if err != nil {
		return "", err
	}
	params := input(second)
	params.PreviousResponseID = openai.String(id)
	text, _, err := r.ask(ctx, params)
	return text, err
}

func (r reply) typed(ctx context.Context, question string) (string, error) {
	params := input(question)
	params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("n", shape)
	params.Text.Format.OfJSONSchema.Strict = openai.Bool(true)
	text, _, err := r.ask(ctx, params)
	return text, err
}

func (r reply) file(ctx context.Context, question, text string) (string, error) {
	id, err := upload(ctx, r.Client, text)
	if err != nil {
		return "", err
	}
	content := responses.ResponseInputMessageContentListParam{
		{OfInputFile: &responses.ResponseInputFileParam{FileID: openai.String(id)}}, responses.ResponseInputContentParamOfInputText(question),
	}
	message := responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser)
	answer, _, err := r.ask(ctx, responses.ResponseNewParams{
		Model: "rlm", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{message}},
	})
	return answer, err
}
