package slides

import (
	"testing"

	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

func TestFiles(t *testing.T) { golden.Files(t, Convert, ".pptx") }
