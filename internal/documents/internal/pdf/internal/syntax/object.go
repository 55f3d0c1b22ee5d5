// Package syntax reads the objects of a PDF file: its cross-references, streams, filters and encryption.
//
// Files are taken as they come. Where the cross-references are wrong, the file is searched for its objects; a stream
// that breaks off gives what came before. Everything is bounded: objects are parsed when they are asked for, from a
// window of the file.
package syntax

// Objects are nil, bool, int64, float64, String, Name, Array, Dict, *Stream and Ref; content streams have Keyword
// besides.
type (
	// Name is a name without its slash.
	Name string
	// String is the bytes of a string, decrypted.
	String string
	// Array is a list of objects.
	Array []any
	// Dict is a dictionary.
	Dict map[Name]any
	// Keyword is a word that is none of the other objects: an operator of a content stream.
	Keyword string
)

// Ref names an object of the file.
type Ref struct{ Num, Gen int }

// Stream is a stream whose bytes are still in the file.
type Stream struct {
	Dict   Dict
	Ref    Ref // zero inside content
	offset int64
	data   []byte // where it is not in the file
	plain  bool   // never encrypted: cross-references, members of object streams
}

// Number is the value of an integer or a real.
func Number(o any) (float64, bool) {
	switch o := o.(type) {
	case int64:
		return float64(o), true
	case float64:
		return o, true
	}
	return 0, false
}
