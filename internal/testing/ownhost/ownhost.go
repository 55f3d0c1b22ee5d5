// Package ownhost runs parts of a test in separate processes and limits the peak memory of each: in a shared
// process, the memory of other tests would count too.
package ownhost

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Most is the limit of a host's peak resident memory, in bytes.
const Most = 200 << 20

const env = "RLM_TEST_HOST" // environment variable that names the thing a process tests

// Each calls meet for each thing in a separate process, which runs only this test, and fails if the process's peak
// resident memory is not below Most. With the race detector, which needs memory itself, the test is skipped.
func Each(t *testing.T, things iter.Seq[string], meet func(t *testing.T, thing string)) {
	t.Helper()
	t.Parallel()
	if thing := os.Getenv(env); thing != "" {
		meet(t, thing)
		fmt.Println("PEAK", Peak(t, "self"))
		return
	}
	if raced {
		t.Skipf("SKIP %s: memory is measured without the race detector", t.Name())
	}
	test := t.Name()
	for thing := range things {
		t.Run(thing, func(t *testing.T) {
			t.Parallel()
			peak := peakOf(t, test, thing)
			t.Logf("%s: %d MB", t.Name(), peak>>20)
			require.Less(t, peak, int64(Most))
		})
	}
}

// peakOf runs a test in a separate process and returns the peak that it prints.
func peakOf(t *testing.T, test, thing string) (peak int64) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+thing)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, after, found := bytes.Cut(out, []byte("PEAK "))
	require.True(t, found, "%s", out)
	_, err = fmt.Sscan(string(after), &peak)
	require.NoError(t, err)
	return peak
}

// Peak returns the peak resident memory, in bytes, of a process ("self" or its number). The kernel records the
// peak, so no moment is missed.
func Peak(t testing.TB, process string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/" + process + "/status")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(after, &kb)
	require.NoError(t, err, "the system does not say")
	return kb << 10
}
