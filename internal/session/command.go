package session

import (
	"cmp"
	"context"
	"reflect"

	"github.com/gorlm/rlm/runner"
)

// Command is an entry of the table: something that a person or a program does with a session, or with all of
// them. Routes, the document that describes them and the orders of WebSockets are made from it.
type Command struct {
	Name  string
	Group string // under which it is listed
	Help  string // what it does, in sentences
	Route string // its method and path: "POST sessions/{id}/fork"

	Access Access
	// Turn says that it takes time, and that a session does one such thing at a time: the answer is a
	// Receipt, and events tell the rest. It is what the state of the session says meanwhile.
	Turn string
	Run  bool // it asks a model: the quota counts, and it waits in the fair queue
	Once bool // an idempotency key counts

	In, Out reflect.Type // what it takes and gives; nil: nothing

	Typed *SlashSyntax // how a person types it; nil: not at all, or a front end has other forms of it
	Tool  bool         // agents may give it as a tool

	do func(context.Context, *Call, any) (any, error)
}

// SlashSyntax says how a person types a command behind a slash.
type SlashSyntax struct {
	Name  string                         // where it is another one than the command's
	Args  string                         // what stands behind the name, as help shows it: "[TURN]"
	Help  string                         // what it does, in a line
	Words []string                       // that completion offers behind the name
	Parse func(line string) (any, error) // makes the command's In of what stands behind the name; nil: it takes nothing
	Done  func(args any) string          // what is said when it is done; nil: what it gave is shown
}

// Slash is what a person types of a command, without the slash.
func (c Command) Slash() string {
	if c.Typed == nil {
		return ""
	}
	return cmp.Or(c.Typed.Name, c.Name)
}

// Access is what somebody needs to be allowed.
type Access int

// What a command needs. Sessions that are shared are read and written by all users.
const (
	Anyone Access = iota // it is about no session
	Read                 // the session is left as it is
	Write                // the session is another one afterwards
	Owner                // the session is one's own
)

// Define completes a command with its help and with what it does. An In or Out of struct{} is nothing.
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

// work is what is done with an open session.
type work = func(context.Context, *runner.Session) error

// begins completes a command that takes a turn. plan checks what is asked for and returns what is to be done.
func begins[In any](c Command, help string, plan func(context.Context, *Call, In) (work, error)) Command {
	return Define(c, help, func(ctx context.Context, call *Call, in In) (Receipt, error) {
		do, err := plan(ctx, call, in)
		if err != nil {
			return Receipt{}, err
		}
		return call.begin(ctx, call.live, c.Turn, do)
	})
}
