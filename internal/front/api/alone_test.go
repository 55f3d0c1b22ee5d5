package api_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// alone starts a server in a separate process, for a test to kill.
func alone(t testing.TB, dir, model string) (*site, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RLM_TEST_SERVER="+dir, "RLM_TEST_MODEL="+model)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url, token, _ := strings.Cut(strings.TrimSpace(line), " ")
	return &site{t, url, token, dir, nil}, cmd
}

// serveAlone is the main function of the process that alone starts. The models log what they were asked.
func serveAlone(dir, name string) {
	model := map[string]func(dir string) llm.Model{"patient": patient, "counted": counted}[name](dir)
	r, err := runner.New(model, runner.WithDataDir(dir))
	if err == nil {
		var s *api.Server
		if s, err = api.New(api.Config{Runner: r, DataDir: dir}); err == nil {
			if err = s.Listen(""); err == nil {
				fmt.Println(s.URL(), s.Token())
				err = s.Serve(context.Background())
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// noted appends a line to a file that outlives the process.
func noted(dir string, what ...any) {
	f, err := os.OpenFile(dir+"/asked", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, what...)
	}
	if err != nil || f.Close() != nil {
		os.Exit(3)
	}
}

// patient makes a model that waits in the second turn until it may continue.
func patient(dir string) llm.Model {
	model := &talker{replies: []string{fence("x := 41"), fence("x++\nFINAL(x)")}}
	model.half = func(turn int) {
		noted(dir, "turn", turn)
		for turn == 1 {
			if _, err := os.Stat(dir + "/go"); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return model
}

// counted makes a model that takes a little while for each call and numbers its replies by time, so that the
// numbers grow across processes.
func counted(dir string) llm.Model {
	asker := regexp.MustCompile(`client \d+ question \d+`)
	return llm.ScriptedFunc("counted", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		who := ""
		for _, m := range req.Messages {
			if found := asker.FindString(m.Content); found != "" {
				who = found
			}
		}
		number := time.Now().UnixNano()
		step, text := fmt.Sprint("turn ", req.Key.N), ""
		switch {
		case req.Key.Cell != 0:
			step, text = "sub-call", fmt.Sprint("reply ", number)
		case req.Key.N == 0:
			text = fence(fmt.Sprintf("said := llm_query(%q) // reply %d", who, number))
		default:
			text = fence(fmt.Sprintf("FINAL(said) // reply %d", number))
		}
		noted(dir, who, step, number)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		return llm.Response{
			Content: text, Model: "counted", FinishReason: "stop", Attempts: 1,
			Usage: llm.Usage{Prompt: 10, Completion: 5},
		}, nil
	})
}

// TestAnAddressThatIsTaken: the error advises what to do.
func TestAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	first := start(t, &talker{})
	r, err := runner.New(&talker{}, runner.WithDataDir(t.TempDir()))
	require.NoError(t, err)
	second, err := api.New(api.Config{Runner: r, DataDir: t.TempDir()})
	require.NoError(t, err)
	require.EqualError(t, second.Listen(first.address()),
		"another program is listening on "+first.address()+": stop it, or choose another address with --listen")
}
