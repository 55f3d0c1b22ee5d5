package reply

import "testing"

func FuzzParse(f *testing.F) {
	for _, r := range bigReplies(300) {
		f.Add(r, true)
	}
	for _, r := range hostileReplies(300) {
		f.Add(r, false)
	}
	f.Add("<think>a</think>```go\nx := FINAL(1)\n```\r\nThe answer: FINAL(\"a\\n\\u00e9\\q\" + x)", true)
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		r := Parse(text, DefaultNames(), cut)
		checkReply(t, text, r)
	})
}
