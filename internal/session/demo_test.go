package session

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// TestTheDemoGoesOn: the demo's question is answered from its recording, later ones by another model.
func TestTheDemoGoesOn(t *testing.T) {
	t.Parallel()
	says := func(name, answer string) llm.Model {
		return llm.ScriptedFunc(name, func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{Content: "```go\nfmt.Println(context)\nFINAL(" + answer + ")\n```"}, nil
		})
	}
	r := newRunner(t, says("recorded", "context"), t.TempDir())
	m := NewPrivate(Config{Runner: r, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 10, Demo: &Demo{
		Question: "what does it say?",
		Begin: func(ctx context.Context) (*runner.Session, error) {
			return r.NewSession(ctx, runner.Text("a", "hello"))
		},
		Then: func(context.Context) ([]runner.Option, error) {
			return []runner.Option{runner.WithModel(says("own", "len(context)"))}, nil
		},
	}})
	defer func() { require.NoError(t, m.Close()) }()
	owner := Person{Name: OwnerName, Owner: true}
	do := func(command, id string, args any) any {
		done, err := m.Do(t.Context(), Request{Command: command, Session: id, Args: args, Who: owner})
		require.NoError(t, err)
		return done
	}
	id := do("demo", "", nil).(Summary).ID
	l, err := m.Find(owner, id)
	require.NoError(t, err)
	rested := func() {
		require.ErrorIs(t, l.Read(t.Context(), Person{Owner: true}, 0, true, func([]Frame) error {
			if l.Busy() == nil {
				return io.EOF
			}
			return nil
		}), io.EOF)
	}
	rested()
	require.Equal(t, "own", do("settings", id, nil).(Settings).Model)
	do("ask", id, AskRequest{Question: "and how long is it?"})
	rested()
	seen := do("session", id, nil).(Summary)
	require.Equal(t, "5", seen.Answer)
}
