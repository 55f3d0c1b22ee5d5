package text

import "unsafe"

// Within returns the offset of s in text, if s shares text's memory; a copy does not count. Strings are immutable
// and their memory lives as long as they do, so the addresses of two live strings can be compared: if s begins in
// text and does not extend beyond it, s is a slice of text. The empty string is never within a text.
func Within(text, s string) (offset int, ok bool) {
	if len(s) == 0 || len(s) > len(text) {
		return 0, false
	}
	at, from := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
	if at < from || at-from > uintptr(len(text)-len(s)) {
		return 0, false
	}
	return int(at - from), true
}
