package trajectory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Text is a string of any length and any bytes. A long one is stored once, by hash, in a compressed side file of
// the run, and the line contains only its hash and size; Read loads it again.
type Text struct {
	s   string
	ref *textRef // set while the text is only in the side file
}

// textRef locates a text in the side file.
type textRef struct {
	hash   [sha256.Size]byte
	size   int64 // of the text
	at     int64 // offset of the zstd frame
	stored int64 // length of the zstd frame
	file   string
	sound  bool // written by this process, or read and verified; guarded by the log
}

// T makes a Text.
func T(s string) Text { return Text{s: s} }

// String returns the whole text. For a text that Skim left in its side file, it returns a note with the size and
// hash; Load returns the text.
func (t Text) String() string {
	if t.ref != nil {
		return fmt.Sprintf("[text of %d bytes, sha256 %s, not loaded]", t.ref.size, hex.EncodeToString(t.ref.hash[:]))
	}
	return t.s
}

// Size is the length in bytes, known without loading.
func (t Text) Size() int64 {
	if t.ref != nil {
		return t.ref.size
	}
	return int64(len(t.s))
}

// Hash is the SHA-256 of the text in hexadecimal, known without loading.
func (t Text) Hash() string {
	if t.ref != nil {
		return hex.EncodeToString(t.ref.hash[:])
	}
	sum := sumOf(t.s)
	return hex.EncodeToString(sum[:])
}

// Loaded reports whether String returns the text itself. It is false only for long texts of events that Skim
// yielded.
func (t Text) Loaded() bool { return t.ref == nil }

// Load returns the whole text, from the side file if needed. It fails if the side file is missing or damaged.
func (t Text) Load() (string, error) {
	if t.ref == nil {
		return t.s, nil
	}
	f, err := openTexts(t.ref.file)
	if err != nil {
		return "", err
	}
	defer f.close()
	return f.read(t.ref)
}

// refJSON is a stored text in a line of the log.
type refJSON struct {
	Hash   string `json:"sha256"`
	Size   int64  `json:"size"`
	At     int64  `json:"at"`
	Stored int64  `json:"stored"`
}

// MarshalJSON returns a string, or for a text that was not loaded an object that locates it.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.ref == nil {
		return text.AppendQuoted(nil, t.s), nil
	}
	return text.JSON(refJSON{hex.EncodeToString(t.ref.hash[:]), t.ref.size, t.ref.at, t.ref.stored})
}

// UnmarshalJSON accepts the output of MarshalJSON.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		t.ref = nil
		if n := len(b); n > 1 && b[0] == '"' && !bytes.ContainsAny(b, `\`) && utf8.Valid(b) { // no escapes to decode
			t.s = string(b[1 : n-1])
			return nil
		}
		return json.Unmarshal(b, &t.s)
	}
	var r refJSON
	if err := json.Unmarshal(b, &r); err != nil {
		return err
	}
	sum, err := hex.DecodeString(r.Hash)
	if err != nil || len(sum) != sha256.Size || r.Size < 0 || r.At < 0 || r.Stored < 0 {
		return errors.New("not a reference to a stored text")
	}
	t.s = ""
	t.ref = &textRef{hash: [sha256.Size]byte(sum), size: r.Size, at: r.At, stored: r.Stored}
	return nil
}
