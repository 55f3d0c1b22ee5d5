package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/repl"
)

// Bounds of a worker's reports, in bytes and counts, because the reports go into prompts and logs. An honest worker
// trims its reports to them, and its host does so again. Together they stay below MaxResult, even if every
// character had to be escaped.
const (
	MaxResult  = 3 << 20  // bytes of the meta part of Result or of Vars; a third is for the packed items
	MaxMembers = 64 << 10 // bytes of the meta part of Members
	MaxName    = 512
	MaxQuoted  = 2 // the factor by which escaping may lengthen an answer
	maxValue   = 64 << 10
	maxText    = 16 << 10 // bytes of the text of an error
	maxNotes   = 64
	maxNote    = 1 << 10
	maxCalled  = 256
	maxVars    = 10_000
	maxDetail  = 4 << 10   // bytes of a type or a preview
	varsRoom   = 512 << 10 // bytes of all variables, encoded
	clockRoom  = 300_000   // bytes of all clock readings, packed
	keptRoom   = 512 << 10 // bytes of what a stopped cell left behind, after escaping
)

// TrimResult trims a result to the bounds.
func TrimResult(r repl.Result) repl.Result {
	r.Value = Short(r.Value, maxValue)
	if r.Error != nil {
		r.Error.Message = Short(r.Error.Message, maxText)
		r.Error.Line, r.Error.Column = max(r.Error.Line, 0), max(r.Error.Column, 0)
	}
	changed := len(r.Changed)
	r.Changed = TrimVars(r.Changed)
	if cut := changed - len(r.Changed); cut > 0 {
		r.Notes = append(r.Notes[:min(len(r.Notes), maxNotes-1)], fmt.Sprintf("%d more variables changed", cut))
	}
	r.Notes = trimList(r.Notes, maxNotes, maxNote)
	r.Called = trimList(r.Called, maxCalled, MaxName)
	return r
}

// TrimKept trims what a stopped cell left behind. A source that is too long is dropped, because a part of it would
// be useless.
func TrimKept(k repl.Kept) *repl.Kept {
	if Quoted(k.Source) > keptRoom {
		k.Source = ""
	}
	k.Unwritten = trimList(k.Unwritten, maxNotes, MaxName)
	return &k
}

// TrimVars trims a list of variables.
func TrimVars(vars []repl.Var) []repl.Var {
	vars = vars[:min(len(vars), maxVars)]
	size := 0
	for i := range vars {
		v := &vars[i]
		v.Name, v.Type = Short(v.Name, MaxName), Short(v.Type, maxDetail)
		v.Size, v.Digest = Short(v.Size, MaxName), Short(v.Digest, MaxName)
		v.Preview = Short(v.Preview, maxDetail)
		size += 100 + len(v.Name) + len(v.Type) + len(v.Size) + len(v.Digest) + len(v.Preview)
	}
	if size < varsRoom/6 { // the usual case: they fit even if every character is escaped
		return vars
	}
	room := varsRoom
	for i := range vars {
		encoded, _ := json.Marshal(vars[i]) // cannot fail: only texts and a number
		if room -= len(encoded); room < 0 {
			return vars[:i]
		}
	}
	return vars
}

// TrimMembers trims a list of names.
func TrimMembers(names []string) []string {
	const around = 4 // two quotes and a comma, rounded up
	room := MaxMembers / 2
	for i, name := range names {
		if room -= len(name) + around; room < 0 {
			return names[:i]
		}
	}
	return names
}

// PackClock packs clock readings, the first ones if there is no room for all.
func PackClock(readings []int64) []byte {
	var packed []byte
	last := int64(0)
	for _, at := range readings {
		if len(packed) > clockRoom-binary.MaxVarintLen64 {
			break
		}
		packed = binary.AppendVarint(packed, at-last)
		last = at
	}
	return packed
}

// UnpackClock reverses PackClock. It ignores whatever is damaged.
func UnpackClock(packed []byte) []int64 {
	var readings []int64
	r := bytes.NewReader(packed[:min(len(packed), clockRoom)])
	last := int64(0)
	for {
		d, err := binary.ReadVarint(r)
		if err != nil {
			return readings
		}
		last += d
		readings = append(readings, last)
	}
}

// Quoted returns the number of bytes that a text takes in a log, where JSON escapes some characters as several
// bytes.
func Quoted(text string) int {
	n := len(text)
	for _, r := range text {
		switch r {
		case '"', '\\', '\n', '\r', '\t':
			n++
		case '<', '>', '&', utf8.RuneError:
			n += 5
		default:
			if r < ' ' {
				n += 5
			}
		}
	}
	return n
}

func trimList(list []string, n, each int) []string {
	list = list[:min(len(list), n)]
	for i := range list {
		list[i] = Short(list[i], each)
	}
	return list
}

// Short truncates a text to n bytes, including the character that marks the cut.
func Short(s string, n int) string {
	const mark = " …"
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len(mark)], "") + mark
}
