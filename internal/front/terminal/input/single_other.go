//go:build !unix

package input

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
)

// single leaves a terminal as it is: a key counts once Enter is pressed.
func single(*os.File) (restore func(), early string, err error) { return func() {}, "", nil }

// silent only returns a function that restores the terminal: term.ReadPassword turns off the echo.
func silent(terminal *os.File) (restore func(), err error) {
	before, err := term.GetState(terminal.Fd())
	if err != nil {
		return nil, fmt.Errorf("reading the terminal settings: %w", err)
	}
	return func() { _ = term.SetState(terminal.Fd(), before) }, nil // fails only if the terminal is gone
}
