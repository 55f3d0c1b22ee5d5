// Package ownhost runs parts of a test in processes of their own and bounds the memory that each has at its peak: what
// other tests of the same process hold would count, too.
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

// Most is how many bytes a host may have resident at its peak.
const Most = 200 << 20

const env = "RLM_TEST_HOST" // what a host of its own meets

// Each has each thing met in a process of its own, which runs nothing but this test, and fails where its peak of resident
// memory is not below Most. It skips with the race detector, which needs memory itself.
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

// peakOf runs a test in a process of its own and returns the peak that it prints.
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

// Peak is the most memory that a process ("self" or its number) has had resident, in bytes. It is the kernel's own figure,
// which misses no moment.
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
