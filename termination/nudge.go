package termination

import (
	"fmt"

	"github.com/gorlm/rlm/termination/reply"
)

// The texts that tell a model how to act. Names of builtins come from Policy.Names only.

// howToAnswer is a clause: "call FINAL(answer) in a ```go cell".
func (p Policy) howToAnswer() string {
	return fmt.Sprintf("call %s in a ```%s cell", p.answerCall("answer", "name"), reply.CellTag)
}

// answerCall is a call of the signal that is recommended in this mode. value is a Go expression, variable a name.
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

func (p Policy) howToAct() string {
	return fmt.Sprintf("You act by writing Go in a block that opens with ```%s on a line of its own and closes with ```; "+
		"what it prints comes back to you. When you have the answer, %s.", reply.CellTag, p.howToAnswer())
}

func (p Policy) exactFormat() string {
	return fmt.Sprintf("Your reply held no cell again. To answer, send exactly this, with your answer in it:\n\n"+
		"```%[1]s\n%[2]s\n```\n\nTo go on working, send a cell such as this:\n\n```%[1]s\nfmt.Println(len(context))\n```\n\n"+
		"If your next reply holds no cell either, it is taken as the answer.",
		reply.CellTag, p.exampleAnswer())
}

// exampleAnswer is a complete cell that answers.
func (p Policy) exampleAnswer() string {
	value := `"…"`
	if p.Typed {
		value = "Answer{…}"
	}
	call := p.answerCall(value, "answer")
	if names := counting(p.Names, p.Mode); len(names) > 0 && names[0] == p.Names.FinalVar {
		return "answer := \"…\"\n" + call
	}
	return call
}
