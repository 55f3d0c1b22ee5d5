package openai_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// command is rlm serve in a separate process, as installed.
type command struct {
	rlm, dir, model string
	process         *exec.Cmd
	url, token      string
}

// serve builds the command and starts it, over a data folder and with a model that is called over HTTP.
func serve(t *testing.T) *command {
	t.Helper()
	model := fakeapi.StartFunc(obedient)
	t.Cleanup(model.Close)
	c := &command{rlm: filepath.Join(t.TempDir(), "rlm"), dir: t.TempDir(), model: model.URL()}
	out, err := exec.Command(
		"go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", c.rlm,
		"github.com/gorlm/rlm/cmd/rlm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	c.start(t)
	t.Cleanup(func() { c.kill(t) })
	return c
}

func (c *command) start(t *testing.T) {
	t.Helper()
	c.process = exec.Command(c.rlm, "serve", "--json", "--no-open", "--max-runs", "8")
	c.process.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "XDG_CONFIG_HOME=" + c.dir, "RLM_DATA_DIR=" +
		c.dir, "OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL=" + c.model, "RLM_MODEL=fake", "NO_PROXY=127.0.0.1"}
	c.process.Stderr = os.Stderr
	out, err := c.process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.process.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "rlm serve says where it is")
	var at struct{ URL, Token string }
	require.NoError(t, json.Unmarshal(lines.Bytes(), &at))
	c.url, c.token = at.URL, at.Token
}

// kill ends the command as abruptly as a power failure.
func (c *command) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, c.process.Process.Kill())
	_ = c.process.Wait() // an error: the process was killed
}
