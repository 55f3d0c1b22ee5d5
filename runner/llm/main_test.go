package llm_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests wait concurrently than there are processors: the parallel ones hardly compute.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
