package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneCommandRunsTheTests checks that .ci/run runs the command that README gives to newcomers.
func TestOneCommandRunsTheTests(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	require.NoError(t, err)
	command := strings.TrimSpace(string(regexp.MustCompile(`(?m)^go test -count=1[^#\n]*`).Find(readme)))
	require.NotEmpty(t, command)

	script, err := os.ReadFile(filepath.Join(root(t), ".ci", "run"))
	require.NoError(t, err)
	stage := regexp.MustCompile(`(?m)^\tgo_test "(\./sandbox [^"]*)" (.*)$`).FindStringSubmatch(string(script))
	require.NotNil(t, stage)
	require.Equal(t, command, "go test -count=1 -vet=off "+stage[2]+" "+stage[1])
}
