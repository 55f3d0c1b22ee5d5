// Package syntax reads the objects of a PDF file: its cross-references, streams, filters and encryption.
//
// It tolerates damaged files: if the cross-references are wrong, it scans the file for objects, and a truncated
// stream returns the data before the break. Memory is bounded: objects are parsed on demand, from a window of the
// file.
package syntax

// Objects are nil, bool, int64, float64, String, Name, Array, Dict, *Stream and Ref; in content streams also
// Keyword.
type (
	// Name is a name without its slash.
	Name string
	// String is the decrypted bytes of a string.
	String string
	// Array is a list of objects.
	Array []any
	// Dict is a dictionary.
	Dict map[Name]any
	// Keyword is any other word: an operator of a content stream.
	Keyword string
)

// Ref identifies an object of the file.
type Ref struct{ Num, Gen int }

// Stream is a stream whose bytes are read on demand.
type Stream struct {
	Dict   Dict
	Ref    Ref // zero in content streams
	offset int64
	data   []byte // decoded data that is not in the file
	plain  bool   // never encrypted: cross-references, members of object streams
}

// Number returns the value of an integer or a real.
func Number(o any) (float64, bool) {
	switch o := o.(type) {
	case int64:
		return float64(o), true
	case float64:
		return o, true
	}
	return 0, false
}
