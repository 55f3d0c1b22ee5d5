// Goclients has a client for Go that nobody here wrote do what the columns of the table ask for, as ../clients/table.mjs does with those for
// JavaScript: goclients ROW URL TOKEN MS. It prints a line of JSON that says of each column "+", why the client has no such thing, or what went
// wrong. MS is how long the model is silent in the last column.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// client is what is asked of a client. An error says what went wrong, or what the client has not.
type client interface {
	whole(ctx context.Context, question string) (string, error)
	// stream hands out the text of an answer as it comes.
	stream(ctx context.Context, question string, piece func(string)) error
	// turns returns the answer to the second question.
	turns(ctx context.Context, first, second string) (string, error)
	// typed returns an answer that fits shape.
	typed(ctx context.Context, question string) (string, error)
	// file asks about a file that has a text.
	file(ctx context.Context, question, text string) (string, error)
}

// shape is the schema of {"n": 7, "words": ["a", "b"]}.
var shape = map[string]any{
	"type": "object", "required": []string{"n", "words"}, "additionalProperties": false,
	"properties": map[string]any{
		"n": map[string]any{"type": "integer"}, "words": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	},
}

func main() {
	row, url, key := os.Args[1], os.Args[2], os.Args[3]
	silence, err := strconv.Atoi(os.Args[4])
	if err != nil {
		panic(err)
	}
	build, ok := map[string]func(baseURL, key string) client{
		"openai-go/chat": newChat, "openai-go/responses": newResponses, "langchaingo": newLangchain,
		"go-openai/chat": newGoChat, "go-openai/responses": newGoResponses,
	}[row]
	if !ok {
		panic("there is no client " + row)
	}
	c := build(url+"v1", key)
	columns := map[string]func(context.Context, client) error{
		"chat": chats, "stream": streams, "second turn": hasTurns, "schema": fits, "files": reads,
		"abort": sessions{url, key, "abort " + row + ";"}.abort, "long silence": waits(silence),
	}
	saw := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, column := range columns {
		wg.Go(func() {
			cell := "+"
			if err := column(context.Background(), c); err != nil {
				cell = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			saw[name] = cell
		})
	}
	wg.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(saw); err != nil {
		panic(err)
	}
}

func chats(ctx context.Context, c client) error {
	text, err := c.whole(ctx, "do: x := 41 ;; FINAL(x+1)")
	return same(text, "42", err)
}

func streams(ctx context.Context, c client) error {
	var text strings.Builder
	pieces := 0
	err := c.stream(ctx, `do: FINAL(strings.Repeat("abc ", 20000))`, func(piece string) {
		text.WriteString(piece)
		if piece != "" {
			pieces++
		}
	})
	if err == nil && pieces <= 10 {
		return fmt.Errorf("%d pieces", pieces)
	}
	return same(text.String(), strings.Repeat("abc ", 20000), err)
}

func hasTurns(ctx context.Context, c client) error {
	text, err := c.turns(ctx, "do: x := 41 ;; FINAL(x)", "do: x++; FINAL(x)")
	return same(text, "42", err)
}

func fits(ctx context.Context, c client) error {
	text, err := c.typed(ctx, `do: FINAL(Answer{N: 7, Words: []string{"a", "b"}})`)
	if err != nil {
		return err
	}
	var got struct {
		N     int
		Words []string
	}
	err = json.Unmarshal([]byte(text), &got)
	return same(fmt.Sprint(got), "{7 [a b]}", err)
}

func reads(ctx context.Context, c client) error {
	text, err := c.file(ctx, `do: FINAL(strings.Count(context, "needle"))`, strings.Repeat("hay\n", 7500)+"needle\n")
	return same(text, "1", err)
}

// waits is a column in which the model is silent; a whole answer is asked for, too, when white space comes before it.
func waits(ms int) func(context.Context, client) error {
	return func(ctx context.Context, c client) error {
		question := fmt.Sprintf(`lat:%d do: FINAL("late")`, ms)
		whole := make(chan error, 1)
		go func() {
			if ms <= 45_000 {
				whole <- nil
				return
			}
			text, err := c.whole(ctx, question+" // whole")
			whole <- same(text, "late", err)
		}()
		var text strings.Builder
		err := c.stream(ctx, question, func(piece string) { text.WriteString(piece) })
		if err := same(text.String(), "late", err); err != nil {
			return err
		}
		return <-whole
	}
}

// same is err, or an error that says how two texts differ.
func same(got, want string, err error) error {
	if err == nil && got != want {
		return fmt.Errorf("%.200q (%d bytes) is not %.200q (%d bytes)", got, len(got), want, len(want))
	}
	return err
}
