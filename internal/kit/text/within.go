package text

import "unsafe"

// Within says where in text s lies, if it is a part of it: not a copy, the same memory. Strings do not change and their memory is kept as
// long as they are, so the addresses of two that are alive can be compared; a part that begins in text and fits into the rest of it is a
// slice of it. The empty string lies nowhere.
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
