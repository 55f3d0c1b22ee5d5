package termination

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/reply"
)

// The texts that explain to a model how to act. Names of builtins come from Policy.Names only.

// howToAnswer is a clause: "call FINAL(result) in a ```go cell, result being the variable that holds the answer".
func (p Policy) howToAnswer() string {
	return fmt.Sprintf("call %s in a ```%s cell, result being the variable that holds the answer",
		p.answerCall("result", "result"), reply.CellTag)
}

// answerCall returns a call of the signal that this mode recommends. value is a Go expression, variable a name.
func (p Policy) answerCall(value, variable string) string {
	names := counting(p.Names, p.Mode)
	if len(names) == 0 {
		return ""
	}
	if names[0] == p.Names.FinalVar {
		return fmt.Sprintf("%s(%q)", names[0], variable)
	}
	return fmt.Sprintf("%s(%s)", names[0], value)
}

func (p Policy) howToAct(s State) string {
	act := fmt.Sprintf("You act by writing Go in a block that opens with ```%s on a line of its own and closes with ```; "+
		"what it prints comes back to you. ", reply.CellTag)
	if s.Unread {
		return act + p.look(s)
	}
	return act + "When you have the answer, " + p.howToAnswer() + "."
}

// look asks the model to look at the text, with a cell that it can send unchanged.
func (p Policy) look(s State) string {
	return "Look at the text first; this cell can be sent as it is:\n\n" + work(s)
}

// work returns a fenced cell that looks at the text.
func work(s State) string {
	source := s.Look
	if source == "" {
		source = "fmt.Println(len(context))"
	}
	return fmt.Sprintf("```%s\n%s\n```\n\n", reply.CellTag, source)
}

// exactFormat shows cells to send. It shows how to answer only once the text, if there is one, has been looked at.
func (p Policy) exactFormat(s State) string {
	const again = "Your reply held no cell again. "
	if s.Unread {
		return again + p.look(s) + "If your next reply holds no cell either, the run ends without an answer."
	}
	end := "it is taken as the answer."
	if p.Example != "" {
		end = "the run ends without an answer."
	}
	return fmt.Sprintf(again+"To go on working, send a cell such as this:\n\n%s"+
		"To answer, send exactly this, with your answer in it:\n\n```%s\n%s\n```\n\nIf your next reply holds no cell either, %s",
		work(s), reply.CellTag, p.exampleAnswer(), end)
}

// exampleAnswer returns a complete cell that answers.
func (p Policy) exampleAnswer() string {
	call := p.answerCall(cmp.Or(p.Example, `"…"`), "answer")
	if slices.Index(counting(p.Names, p.Mode), p.Names.FinalVar) == 0 {
		return "answer := \"…\"\n" + call
	}
	return call
}
