package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ID is a word that begins with what the label says, as far as letters and digits can, and tells what the
// parts name from everything else. The endings of files of data are left out.
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
