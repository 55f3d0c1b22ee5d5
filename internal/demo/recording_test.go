package demo_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner/llm"
)

func TestDiceDrawTheSameEverywhere(t *testing.T) {
	// The published numbers for this seed are 6457827717110365317, 3203168211198807973 and 9817491932198370423.
	d := demo.NewDice(1234567)
	require.Equal(t, []int{317, 973, 423}, []int{d.N(1000), d.N(1000), d.N(1000)})
}

func TestARecordingAnswersTurnsByPlaceAndSubCallsByPrompt(t *testing.T) {
	rec, err := demo.Load(strings.NewReader(`{"model":"some-model"}
{"turn":1,"reply":"first turn"}
{"path":"1.1/1","turn":1,"reply":"a child's turn"}
{"prompt":"` + demo.PromptHash("again?") + `","reply":"yes"}
{"prompt":"` + demo.PromptHash("again?") + `","reply":"yes, again"}
`))
	require.NoError(t, err)
	require.False(t, rec.Empty())
	model := rec.Answers()
	require.Equal(t, "some-model", model.Name())
	ask := func(key llm.Key, prompt string) (string, error) {
		resp, err := model.Generate(context.Background(),
			llm.Request{Key: key, Messages: []llm.Message{{Role: llm.User, Content: prompt}}}, nil)
		return resp.Content, err
	}
	for _, c := range []struct {
		key          llm.Key
		prompt, want string
	}{
		{llm.Key{}, "worded in any way", "first turn"},
		{llm.Key{Path: "1.1/1"}, "", "a child's turn"},
		{llm.Key{Cell: 3}, "again?", "yes"},
		{llm.Key{Cell: 4}, "again?", "yes, again"},
		{llm.Key{Cell: 5}, "again?", "yes, again"},
	} {
		got, err := ask(c.key, c.prompt)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, key := range []llm.Key{{N: 1}, {Cell: 1}} {
		_, err := ask(key, "never asked")
		var failure *llm.Error
		require.ErrorAs(t, err, &failure)
		require.Equal(t, llm.ErrNotRecorded, failure.Kind)
	}
}

func TestLoadNamesABadLine(t *testing.T) {
	_, err := demo.Load(strings.NewReader("{\"turn\":1}\n{\"turn\":"))
	require.ErrorContains(t, err, "line 2")
	rec, err := demo.Load(strings.NewReader(""))
	require.NoError(t, err)
	require.True(t, rec.Empty())
}
