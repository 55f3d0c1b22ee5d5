package session

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// TestTheTable: names and routes are unique; commands on a session require access; commands that take a turn
// change the session and return a receipt; GET requests change nothing.
func TestTheTable(t *testing.T) {
	names, routes := map[string]bool{}, map[string]bool{}
	for _, c := range Commands() {
		require.False(t, names[c.Name] || c.Route != "" && routes[c.Route], c.Name)
		names[c.Name], routes[c.Route] = true, true
		require.NotEmpty(t, c.Group, c.Name)
		require.True(t, strings.HasSuffix(c.Help, "."), c.Name)
		if c.Route != "" {
			require.Equal(t, strings.Contains(c.Route, "{id}"), c.Access != Anyone, c.Name)
		}
		if strings.HasPrefix(c.Route, "GET ") {
			require.LessOrEqual(t, c.Access, Read, c.Name)
			require.NotNil(t, c.Out, c.Name)
		}
		require.Equal(t, c.Turn != "", c.Out == reflect.TypeFor[Receipt](), c.Name)
		if c.Turn != "" {
			require.Equal(t, Write, c.Access, c.Name)
		}
	}
}

// TestOnePath: every request is looked up, authorized, claimed, run in its turn and answered in the same way,
// whoever makes it.
func TestOnePath(t *testing.T) {
	dir := t.TempDir()
	r := newRunner(t, silent{}, dir)
	var asked []string
	m, err := NewManager(Config{
		Runner: r, DataDir: dir, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 10, Limits: func(string) Limits {
			return Limits{}
		},
		Asked: func(who Person, did, _ string) { asked = append(asked, who.Name+" "+did) },
	})
	require.NoError(t, err)
	defer func() {
		require.NoError(t, m.Close())
		require.NoError(t, m.Keys().Close())
	}()
	do := func(who Person, command, id string, args any, key string) (any, error) {
		return m.Do(t.Context(), Request{Command: command, Session: id, Args: args, Who: who, Key: key})
	}
	owner, ann, bob := Person{Name: OwnerName, Owner: true}, Person{Name: "ann"}, Person{Name: "bob"}

	_, err = do(ann, "dance", "", nil, "")
	require.True(t, Is(err, NotFound))
	made, err := do(ann, "create", "", CreateRequest{Empty: true, Name: "notes"}, "k")
	require.NoError(t, err)
	id := made.(Summary).ID
	require.Equal(t, "ann", made.(Summary).Owner)
	kept, _ := m.keys.kept.Get(hash("ann", "k"))
	require.Equal(t, hash("POST /api/v1/sessions\n"+`{"name":"notes","empty":true}`), kept.Request,
		"keys in files stay what they are")
	again, err := do(ann, "create", "", CreateRequest{Empty: true, Name: "notes"}, "k")
	require.NoError(t, err)
	require.Equal(t, id, again.(Summary).ID, "the key made it")
	_, err = do(ann, "create", "", CreateRequest{Empty: true}, "k")
	require.True(t, Is(err, KeyUsed))
	_, err = do(bob, "session", id, nil, "")
	require.True(t, Is(err, NotFound), "it is somebody else's")

	shared := true
	_, err = do(ann, "change", id, ChangeRequest{Shared: &shared}, "")
	require.NoError(t, err)
	_, err = do(bob, "delete", id, nil, "")
	require.True(t, Is(err, Forbidden), "only its owner may")
	_, err = do(bob, "cell", id, CellRequest{}, "")
	require.True(t, Is(err, BadRequest))

	l, err := m.Find(bob, id)
	require.NoError(t, err)
	actor := Actor{Person: Person{Name: "ann"}}
	require.NoError(t, l.With(t.Context(), actor, "cell", func(context.Context, *runner.Session) error {
		_, err := do(bob, "cell", id, CellRequest{Source: "n := 1"}, "")
		require.True(t, Is(err, Busy))
		require.Equal(t, "ann", ErrorOf(err).State.By)
		return nil
	}))
	begun, err := do(bob, "cell", id, CellRequest{Source: "n := 41 + 1"}, "c")
	require.NoError(t, err)
	require.Equal(t, id, begun.(Receipt).Session)
	// the function is called at every change of the state
	free := l.Read(t.Context(), Person{Owner: true}, 0, true, func([]Frame) error {
		if l.Busy() == nil {
			return io.EOF
		}
		return nil
	})
	require.ErrorIs(t, free, io.EOF)
	vars, err := do(owner, "variables", id, nil, "")
	require.NoError(t, err)
	values := map[string]string{}
	for _, v := range vars.(Variables).Variables {
		values[v.Name] = v.Preview
	}
	require.Equal(t, "42", values["n"])
	require.Equal(t, []string{"bob cell"}, asked)
	begun, err = do(bob, "cell", id, CellRequest{Source: "n := 41 + 1"}, "c")
	require.NoError(t, err)
	require.True(t, begun.(Receipt).Again)
	_, err = do(ann, "delete", id, nil, "")
	require.NoError(t, err)
}
