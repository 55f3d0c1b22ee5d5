package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// onTerminal opens an Output on a terminal; seen closes it and returns what was written to the terminal.
func onTerminal(t *testing.T) (out *Output, seen func() string) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("SKIP " + t.Name() + ": no pseudo terminals here")
	}
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 10, Cols: 40}))
	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // returns an error when the other side is closed
		read <- string(b)
	}()
	return NewOutput(slave), func() string {
		slave.Close()
		got := <-read
		master.Close()
		return strings.ReplaceAll(got, "\r\n", "\n")
	}
}

// attacks are texts that a terminal would act on.
var attacks = map[string]string{
	"clipboard":            "a\x1b]52;c;ZXZpbA==\ab",
	"clipboard, ended":     "a\x1b]52;c;ZXZpbA==\x1b\\b",
	"title":                "a\x1b]0;owned\ab",
	"clear":                "a\x1b[2J\x1b[Hb",
	"cursor":               "a\x1b[10;10H\x1b7\x1b8b",
	"device string":        "a\x1bP1$qm\x1b\\b",
	"answer back":          "a\x05\x1b[6n\x1b[cb",
	"alternate screen":     "a\x1b[?1049hb",
	"character set":        "a\x1b(0b",
	"reset":                "a\x1bcb",
	"bell and backspace":   "a\a\b\x7fb",
	"C1":                   "a\u0085\u0090\u009d\u009cb",
	"text order":           "a\u202E\u2066\u200F\u061Cb",
	"carriage return":      "a\rb",
	"colour":               "a\x1b[31m\x1b[0mb",
	"sequence in sequence": "a\x1b[1\x1b]0;t\a\x1b[2Jb",
}

func TestOutputOnATerminalIsNeverObeyed(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			out, seen := onTerminal(t)
			fmt.Fprint(out, attack)
			require.Equal(t, "ab", seen())
		})
		t.Run(name+", byte by byte", func(t *testing.T) {
			out, seen := onTerminal(t)
			for i := range len(attack) {
				n, err := out.Write([]byte{attack[i]})
				require.NoError(t, err)
				require.Equal(t, 1, n)
			}
			require.Equal(t, "ab", seen())
		})
		t.Run(name+", painted", func(t *testing.T) {
			out, seen := onTerminal(t)
			require.NoError(t, out.Styled(out.Paint(Bold, attack)))
			require.Equal(t, Bold.Render("ab"), seen())
		})
	}
}

func TestAStyledTextKeepsItsStylesOnly(t *testing.T) {
	out, seen := onTerminal(t)
	require.NoError(t, out.Styled("\x1b[31mred\x1b[0m\x1b[2J\x1b]0;t\a\x1b[?25l\x1b[>4;2m"))
	require.Equal(t, "\x1b[31mred\x1b[0m", seen())
}

func TestAFileGetsEveryByte(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			f, err := os.CreateTemp(t.TempDir(), "out")
			require.NoError(t, err)
			out := NewOutput(f)
			require.False(t, out.Terminal())
			fmt.Fprint(out, attack+"\xff")
			require.NoError(t, out.Styled(out.Paint(Bold, attack)+out.Markdown("**b**")))
			out.Status("never there")
			require.NoError(t, f.Close())
			got, err := os.ReadFile(f.Name())
			require.NoError(t, err)
			require.Equal(t, attack+"\xff"+attack+"**b**", string(got))
		})
	}
}

func TestStatusStaysBelow(t *testing.T) {
	out, seen := onTerminal(t)
	out.Status("working \x1b[2Jhard")
	fmt.Fprintln(out, "one")
	out.Status("working harder and harder, more than the line has room for")
	fmt.Fprint(out, "no end")
	out.Status("")
	require.Equal(t, "working hard"+"\r\x1b[Kone\nworking hard"+
		"\r\x1b[Kworking harder and harder, more than…"+"\r\x1b[Kno end", seen())
}

func TestMarkdownIsSetForTheTerminal(t *testing.T) {
	out, seen := onTerminal(t)
	require.NoError(t, out.Styled(
		out.Markdown("**bold** and a paragraph that is longer than the line has room for\x1b[2J")))
	got := seen()
	require.Contains(t, got, Bold.Render("bold"))
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, ansi.StringWidth(line), 40)
	}
}

// TestPiecesCleanLikeTheWhole cuts texts at random places and compares the cleaned pieces with the cleaned text.
func TestPiecesCleanLikeTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"\x1b", "[", "]", "31m", "m", ";", "\a", "\\", "\n", "a", "é", "漢", "\xff", "\xe6", "\u009b", "\u202e", "P",
			"(", "B", "?25h",
		})).Draw(t, "text"), "")
		var f filter
		var got []byte
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got = f.add(got, rest[:n])
			rest = rest[n:]
		}
		got = f.end(got)
		require.Equal(t, Clean(text), string(got))
		require.False(t, needsCleaning(string(got)), "%q", got)
	})
}
