package quoted_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/quoted"
)

func FuzzAppend(f *testing.F) {
	for _, text := range []string{"", "plain", "<a href=\"x\">&amp;</a>", "é世界🙂", "\u2028", "a\u2029b", "\ufffd", "\xe4\xb8", "end\xff", "\\\"\r\n\t\b\f\x00\x1f\x7f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(text))
		got := quoted.Append([]byte("before "), text)
		require.Equal(t, "before "+string(bytes.TrimSuffix(want.Bytes(), []byte("\n"))), string(got))
	})
}
