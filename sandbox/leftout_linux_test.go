package sandbox

import (
	"flag"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/termination"
)

// A cell that keeps later cells from running is left out of the replay after two cells in a row have died; all
// others run again.
func TestACellAfterWhichNothingRunsIsLeftOut(t *testing.T) {
	t.Parallel()
	if flag.Arg(0) != everyWorker+"poison" {
		out, err := exec.Command("/proc/self/exe", "-test.run=^TestACellAfterWhichNothingRunsIsLeftOut$",
			everyWorker+"poison").CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	s, err := New(t.Context(),
		Config{Level: Basic, Engine: repl.Yaegi, Builtins: builtins.Standard(termination.Response)})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	cell := func(source string) Result {
		res, err := s.Run(t.Context(), Cell{Source: source})
		require.NoError(t, err)
		return res
	}
	require.Nil(t, cell("keep := 1").Error)
	require.Nil(t, cell("poison := 2").Error)
	res := cell("first := 3")
	require.NotNil(t, res.Error)
	require.Empty(t, res.Restore.Losses(), "one death is no reason to suspect an earlier cell")
	res = cell("second := 4")
	require.NotNil(t, res.Error)
	require.Equal(t, []int{2}, res.Restore.LeftOut)
	require.Equal(t, []string{"poison"}, res.Restore.Lost)
	require.Equal(t, 1, res.Restore.Cells)
	require.Contains(t, res.Error.Message, "poison could not be restored")
	require.Contains(t, res.Error.Message, "cell 2 was left out, because no cell runs after it")
	require.Nil(t, cell("third := 5").Error)
}
