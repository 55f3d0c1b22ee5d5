package yaegi

import (
	"os"
	"runtime"
	"testing"
)

func goexit()             { runtime.Goexit() }
func scratchFile() string { return os.Getenv("SCRATCH") }
func scratchSource() bool { return os.Getenv("SCRATCH_SRC") != "" }
func readFile(t *testing.T, p string) string {
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
