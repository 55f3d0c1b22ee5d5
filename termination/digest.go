package termination

import "strings"

// digest identifies a text within a run (FNV-1a). It is the same in every process, so that a resumed run recognises
// the replies and cells of the original.
type digest uint64

const (
	digestStart digest = 14695981039346656037
	digestPrime digest = 1099511628211
)

// add returns the digest of the text of d followed by s.
func (d digest) add(s string) digest {
	for i := range len(s) {
		d = (d ^ digest(s[i])) * digestPrime
	}
	return (d ^ 0xff) * digestPrime // 0xff is in no UTF-8 text, so "a", "b" differs from "ab"
}

// normalSpace returns s with each run of white space replaced by one space, and trimmed.
func normalSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
