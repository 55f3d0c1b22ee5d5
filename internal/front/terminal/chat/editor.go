package chat

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// editedMsg is the text from the person's editor.
type editedMsg struct {
	text string
	err  error
}

// editor opens a text in the person's editor, which owns the screen until it ends.
func (m *tui) editor(text string) tea.Cmd {
	file, err := draftFile(text)
	if err != nil {
		m.print(m.core.failure(err))
		return nil
	}
	words := editorCommand()
	cmd := exec.Command(words[0], append(words[1:], file)...)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		if err != nil {
			return editedMsg{err: fmt.Errorf("editing with %s: %w", words[0], err)}
		}
		b, err := os.ReadFile(file)
		if err == nil {
			text, err = decoding.Text(bytes.NewReader(b))
		}
		return editedMsg{strings.TrimRight(text, "\n"), err}
	})
}

// editorCommand returns $VISUAL or $EDITOR with its arguments, or vi.
func editorCommand() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

// draftFile creates a private temporary file with a text.
func draftFile(text string) (string, error) {
	f, err := os.CreateTemp("", "rlm-input-*.md")
	if err != nil {
		return "", fmt.Errorf("making a file for the editor: %w", err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("making a file for the editor: %w", err)
	}
	return f.Name(), nil
}
