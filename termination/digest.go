package termination

import "strings"

// digest identifies a text within a run (FNV-1a): the same for the same text in every process, so that a
// resumed run counts as the first one did.
type digest uint64

const (
	digestStart digest = 14695981039346656037
	digestPrime digest = 1099511628211
)

// add is the digest of what d stands for followed by s.
func (d digest) add(s string) digest {
	for i := range len(s) {
		d = (d ^ digest(s[i])) * digestPrime
	}
	return (d ^ 0xff) * digestPrime // 0xff is in no UTF-8 text: "a", "b" is not "ab"
}

// normalSpace is s with every stretch of white space as one space, and none at its ends.
func normalSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
