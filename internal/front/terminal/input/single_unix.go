//go:build unix

package input

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// single makes a terminal deliver keys as they are pressed, without echo. Ctrl-C and Ctrl-Z still work. early is
// the text typed before.
func single(terminal *os.File) (restore func(), early string, err error) {
	fd := terminal.Fd()
	now, restore, err := state(terminal)
	if err != nil {
		return nil, "", err
	}
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 0, 0 // reads return immediately
	if err = term.SetState(fd, &now); err == nil {
		early, err = waiting(terminal)
	}
	if now.Cc[unix.VMIN] = 1; err == nil {
		err = term.SetState(fd, &now)
	}
	if err != nil {
		restore()
		return nil, early, fmt.Errorf("reading a key: %w", err)
	}
	return restore, early, nil
}

// silent turns off a terminal's echo.
func silent(terminal *os.File) (restore func(), err error) {
	now, restore, err := state(terminal)
	if err != nil {
		return nil, err
	}
	now.Lflag &^= unix.ECHO
	if err := term.SetState(terminal.Fd(), &now); err != nil {
		return nil, fmt.Errorf("hiding the typed text: %w", err)
	}
	return restore, nil
}

// state returns a terminal's settings, and a function that restores them.
func state(terminal *os.File) (now term.State, restore func(), err error) {
	before, err := term.GetState(terminal.Fd())
	if err != nil {
		return now, nil, fmt.Errorf("reading the terminal settings: %w", err)
	}
	return *before, func() { _ = term.SetState(terminal.Fd(), before) }, nil // fails only if the terminal is gone
}

func waiting(terminal *os.File) (string, error) {
	var text []byte
	for some := make([]byte, 512); ; {
		n, err := unix.Read(int(terminal.Fd()), some)
		if n <= 0 || err != nil {
			return string(text), err
		}
		text = append(text, some[:n]...)
	}
}
