package session

import (
	"cmp"
	"context"
	"reflect"

	"github.com/gorlm/rlm/runner"
)

// Command is an entry of the table: an action on one session, or one that needs no session. Routes, the OpenAPI
// document and the commands of WebSockets are made from the table.
type Command struct {
	Name  string
	Group string // heading in lists of commands
	Help  string // what it does, in sentences
	Route string // its method and path: "POST sessions/{id}/fork"

	Access Access
	// Turn, if not empty, means that the command takes time and needs the session's turn: it returns a Receipt, and
	// events report its progress and result. Meanwhile Turn is the Doing of the session's state.
	Turn string
	Run  bool // it asks a model: quotas apply, and it waits in the fair queue
	Once bool // an idempotency key makes it take effect once

	In, Out reflect.Type // types of its arguments and result; nil: none

	Typed *SlashSyntax // how a person types it; nil: not at all, or as its front end defines
	Tool  bool         // agents may use it as a tool

	do func(context.Context, *Call, any) (any, error)
}

// SlashSyntax is how a person types a command after a slash.
type SlashSyntax struct {
	Name  string                         // if different from the command's name
	Args  string                         // what follows the name, as help shows it: "[TURN]"
	Help  string                         // what it does, in a line
	Words []string                       // completions after the name
	Parse func(line string) (any, error) // converts the rest of the line to the command's In; nil: no arguments
	Done  func(args any) string          // message after success; nil: the result is shown
}

// Slash returns the word that a person types for the command, without the slash.
func (c Command) Slash() string {
	if c.Typed == nil {
		return ""
	}
	return cmp.Or(c.Typed.Name, c.Name)
}

// Access is the permission that a command needs.
type Access int

// The permissions that commands can need. All users can read and change shared sessions.
const (
	Anyone Access = iota // it needs no session
	Read                 // it does not change the session
	Write                // it changes the session
	Owner                // only the session's owner may use it
)

// Define completes a command with its help and its function. An In or Out of struct{} means none.
func Define[In, Out any](c Command, help string, do func(context.Context, *Call, In) (Out, error)) Command {
	c.Help, c.In, c.Out = help, something[In](), something[Out]()
	c.do = func(ctx context.Context, call *Call, args any) (any, error) {
		in, _ := args.(In)
		out, err := do(ctx, call, in)
		if err != nil || c.Out == nil {
			return nil, err
		}
		return out, nil
	}
	return c
}

func something[T any]() reflect.Type {
	if t := reflect.TypeFor[T](); t != reflect.TypeFor[struct{}]() {
		return t
	}
	return nil
}

// work is something done with an open session.
type work = func(context.Context, *runner.Session) error

// begins completes a command that takes time and needs the session's turn. plan checks the arguments and returns
// the work.
func begins[In any](c Command, help string, plan func(context.Context, *Call, In) (work, error)) Command {
	return Define(c, help, func(ctx context.Context, call *Call, in In) (Receipt, error) {
		do, err := plan(ctx, call, in)
		if err != nil {
			return Receipt{}, err
		}
		return call.begin(ctx, call.live, c.Turn, do)
	})
}
