package repl_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gorlm/rlm/repl"
)

// Variables persist from cell to cell, packages need no import, and the last expression is shown.
func ExampleNotebook() {
	n, err := repl.New(repl.Config{Context: "alpha\nbeta\ngamma\n", Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	n.Run(ctx, `words := strings.Fields(context)
fmt.Println("found", len(words))`, repl.RunOptions{})
	fmt.Println(n.Run(ctx, `words[len(words)-1]`, repl.RunOptions{}).Value)
	// Output:
	// found 3
	// gamma
}

// A cell that does not compile changes nothing; the error is written for the cell's author.
func ExampleCellError() {
	n, err := repl.New(repl.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	res := n.Run(context.Background(), "total := 1\ntotal + \"s\"", repl.RunOptions{})
	fmt.Println(res.Error.Kind, "at line", res.Error.Line)
	fmt.Println(len(n.Vars()), "variables")
	// Output:
	// CompileError at line 2
	// 0 variables
}

// Any Go function can be a builtin. If its first parameter is a *Site, it learns where and how it is called.
func ExampleBuiltin() {
	shout := func(site *repl.Site, text string) string {
		site.Note(fmt.Sprintf("shouted at line %d", site.Line))
		return strings.ToUpper(text)
	}
	n, err := repl.New(repl.Config{
		Builtins: []repl.Builtin{{Name: "shout", Doc: "shout(text string) string\nSays it louder.", Fn: shout}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	res := n.Run(context.Background(), `shout("hello")`, repl.RunOptions{})
	fmt.Println(res.Value)
	fmt.Println(res.Notes, res.Called)
	// Output:
	// HELLO
	// [shouted at line 1] [shout]
}
