package trajectory_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// appendEnv is an environment variable with a folder. It makes this test binary append to the log in that folder
// until the process is killed or a write fails.
const appendEnv = "RLM_TEST_APPEND"

func TestMain(m *testing.M) {
	if dir := os.Getenv(appendEnv); dir != "" {
		os.Exit(appendForever(dir))
	}
	os.Exit(m.Run())
}

// appendForever prints the number of each event once Append has returned.
func appendForever(dir string) int {
	log, err := trajectory.Open(dir, nil)
	if errors.Is(err, os.ErrNotExist) {
		log, err = trajectory.Create(dir, nil)
	}
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				e, err := log.Append("", 1, payload(g, i))
				if err != nil {
					fmt.Printf("error: %v\n", err)
					return
				}
				fmt.Printf("%d %d %d\n", e.Seq, g, i)
			}
		})
	}
	wg.Wait()
	if _, err := log.Append("", 1, trajectory.Warned{Text: "after"}); err == nil {
		fmt.Println("an event was accepted after a failed write")
	}
	return 0
}

// payload returns what goroutine g appends as its i-th event; every third has a text for the side file.
func payload(g, i int) trajectory.Data {
	s := fmt.Sprintf("%d/%d ", g, i)
	if i%3 == 0 {
		s = strings.Repeat(s, 1000)
	}
	return trajectory.ReplyReceived{Model: strconv.Itoa(g), Content: trajectory.T(s)}
}

// acknowledged parses the lines that an appender printed: the events that must be in the log.
func acknowledged(t *testing.T, out io.Reader) map[int64]trajectory.Data {
	t.Helper()
	acked := map[int64]trajectory.Data{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var seq int64
		var g, i int
		if n, _ := fmt.Sscanf(lines.Text(), "%d %d %d", &seq, &g, &i); n == 3 {
			acked[seq] = payload(g, i)
		} else {
			assert.Regexp(t, "^error: ", lines.Text(), "the appender says")
		}
	}
	return acked
}

func TestKilledAtAnyInstant(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP TestKilledAtAnyInstant: no SIGKILL on windows")
	}
	rounds := 12
	if os.Getenv("RLM_LONG") != "" {
		rounds = 200
	}
	dir := written(t) // a process that is killed early might not have made a log
	all := map[int64]trajectory.Data{}
	for round := 0; round < rounds || len(all) == 0; round++ { // on a busy machine all may die too early
		require.Less(t, round, 12*rounds, "nothing was acknowledged")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), appendEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		kill := time.AfterFunc(time.Duration((5+rand.IntN(60))*(1+round/rounds))*time.Millisecond, func() {
			_ = cmd.Process.Kill()
		})
		for seq, d := range acknowledged(t, out) {
			all[seq] = d
		}
		kill.Stop()
		_ = cmd.Wait()

		read := map[int64]trajectory.Data{}
		for _, e := range readAll(t, dir) {
			read[e.Seq] = e.Data
		}
		for seq, want := range all {
			require.Equal(t, want, read[seq], "event %d was acknowledged", seq)
		}
	}
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	before := log.Seq()
	e, err := log.Append("", 0, trajectory.Warned{Text: "still works"})
	require.NoError(t, err)
	require.Equal(t, before+1, e.Seq)
	require.NoError(t, log.Close())
	t.Logf("%d kills, %d events acknowledged", rounds, len(all))
}
