package text_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		"", "plain", "<a href=\"x\">&amp;</a>", "é世界🙂", "\u2028", "a\u2029b", "\ufffd",
		"\xe4\xb8", "end\xff", "\\\"\r\n\t\b\f\x00\x1f\x7f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(s))
		got := text.AppendQuoted([]byte("before "), s)
		require.Equal(t, "before "+string(bytes.TrimSuffix(want.Bytes(), []byte("\n"))), string(got))
	})
}
