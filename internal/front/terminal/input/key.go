package input

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// Key waits until one of some keys is pressed on a terminal, in upper or lower case; Escape counts as the last of
// them. If the system allows it, no Enter is needed. Text typed earlier is not an answer; it is passed to ask,
// which asks the question. Key restores the terminal before it returns.
func Key(ctx context.Context, terminal *os.File, keys string, ask func(early string)) (string, error) {
	restore, early, err := single(terminal)
	if err != nil {
		return "", err
	}
	defer restore()
	ask(early)
	return Read(ctx, func() (string, error) {
		for pressed := make([]byte, 64); ; {
			n, err := terminal.Read(pressed)
			if err != nil {
				return "", err
			}
			key := strings.ToLower(string(bytes.TrimRight(pressed[:n], "\r\n")))
			switch { // several characters read together are not a key press
			case key == "\x1b":
				return keys[len(keys)-1:], nil
			case len(key) == 1 && strings.Contains(keys, key):
				return key, nil
			}
		}
	})
}

// Hidden reads a line without echo. It calls ask once echo is off.
func Hidden(ctx context.Context, terminal *os.File, ask func()) ([]byte, error) {
	restore, err := silent(terminal)
	if err != nil {
		return nil, err
	}
	defer restore()
	ask()
	return Read(ctx, func() ([]byte, error) { return term.ReadPassword(terminal.Fd()) })
}
