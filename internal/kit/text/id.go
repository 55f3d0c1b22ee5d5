package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ID returns a word that begins with the label, reduced to letters and digits, and ends with a hash that
// identifies the parts. It omits the extensions of data files.
func ID(label string, parts ...string) string {
	label = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(label, ".jsonl"), ".csv"), ".json"))
	label = strings.Trim(label[:min(len(label), 24)], "-")
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.Trim(label+"-"+hex.EncodeToString(sum[:4]), "-")
}
