package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// BenchmarkProcess measures `rlm run` from start to exit: one iteration with an instant endpoint over HTTP,
// over a small context and over 100 MB. ("rss-MB" is the peak resident set of the process itself, without its
// worker; the 100 MB are in a shared memory file.)
func BenchmarkProcess(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "rlm")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(b, err, string(out))
	for name, size := range map[string]int{"small": 1 << 10, "100MB": 100 << 20} {
		b.Run(name, func(b *testing.B) {
			s := fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
				return fakeapi.Reply{Content: "```go\nFINAL(len(context))\n```"}
			})
			defer s.Close()
			dir := b.TempDir()
			text := bytes.Repeat([]byte("0123456789abcde\n"), size/16)
			require.NoError(b, os.WriteFile(filepath.Join(dir, "context.txt"), text, 0o600))
			var peak float64
			for b.Loop() {
				cmd := exec.Command(bin, "run", "--quiet", "--model", "m", "--base-url", s.URL(), "how long?",
					"context.txt")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "RLM_DATA_DIR="+dir, "XDG_CONFIG_HOME="+dir)
				out, err := cmd.CombinedOutput()
				require.NoError(b, err, string(out))
				peak = max(peak, peakResident(cmd.ProcessState))
			}
			if runtime.GOOS == "linux" {
				b.ReportMetric(peak/1e6, "rss-MB")
			}
		})
	}
}
