package yaegi

import (
	"os"
	"runtime"
	"strconv"
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

func TestRandomShow(t *testing.T) {
	if os.Getenv("SHOW") == "" {
		t.Skip()
	}
	seed, _ := strconv.ParseInt(os.Getenv("SHOW"), 10, 64)
	os.WriteFile("/tmp/h3/rand.go", []byte(randomProgram(seed)), 0o644)
}
