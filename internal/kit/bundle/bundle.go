// Package bundle is the output of a cell besides text: items, each with several forms by media type, as in
// Jupyter. The form text/plain always exists and is all that a model sees; the others are data for readers that
// can show them, never code.
package bundle

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/internal/kit/text"
)

// The media types of forms.
const (
	TextType     = "text/plain"
	TableType    = "application/vnd.rlm.table+json"
	ChartType    = "application/vnd.rlm.chart+json"
	JSONType     = "application/json"
	MarkdownType = "text/markdown"
)

// Item is one piece of a cell's output in all its forms.
type Item struct {
	// Data holds the forms by media type. A textual form is a JSON string.
	Data map[string]json.RawMessage `json:"data"`
	// Value marks the value of the last expression; any other item was printed.
	Value bool `json:"value,omitempty"`
	// Whole holds all rows if the item has only a part of its table; otherwise nil. It is not encoded: the rows
	// stay where the item was made.
	Whole *Rows `json:"-"`
}

// New makes an item of its text and one other form.
func New(plain, media string, form any) (Item, error) {
	data := map[string]json.RawMessage{}
	for media, v := range map[string]any{TextType: plain, media: form} {
		raw, err := text.JSON(v)
		if err != nil {
			return Item{}, err
		}
		data[media] = raw
	}
	return Item{Data: data}, nil
}

// Text returns the item as plain text.
func (i Item) Text() string { return i.text(TextType) }

func (i Item) text(media string) (s string) {
	_ = json.Unmarshal(i.Data[media], &s) // stays empty without such a form
	return s
}

// Table returns the item as a table, if it has that form.
func (i Item) Table() (t Table, ok bool) {
	return t, i.form(TableType, &t) && t.check()
}

// Chart returns the item as a chart, if it has that form.
func (i Item) Chart() (c chart.Chart, ok bool) {
	return c, i.form(ChartType, &c) && c.Check() == nil
}

// form decodes a form strictly.
func (i Item) form(media string, v any) bool {
	raw, ok := i.Data[media]
	if !ok {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	d.UseNumber()
	return d.Decode(v) == nil
}

// Bounds of the items of one cell. A worker enforces them, and its host enforces them again.
const (
	most     = 64          // items
	itemRoom = 160 << 10   // bytes of an item
	allRoom  = 512 << 10   // bytes of all items, encoded
	PackRoom = 2 * allRoom // PackRoom is the maximal length of packed items as base64
)

// Trim enforces the bounds on items, and drops forms that do not match their media type, and items with no form
// but text. The rest is encoded again from its decoded values.
func Trim(items []Item) []Item {
	var out []Item
	room := allRoom
	for _, i := range items[:min(len(items), most)] {
		i = i.sound()
		size := 0
		for media, raw := range i.Data {
			size += len(media) + len(raw) + 16
		}
		if len(i.Data) < 2 || size > itemRoom || size > room {
			continue
		}
		room -= size
		out = append(out, i)
	}
	return out
}

// sound returns the item with those of its forms that match their media type.
func (i Item) sound() Item {
	out := Item{Data: map[string]json.RawMessage{}, Value: i.Value}
	keep := func(media string, v any, ok bool) {
		if !ok {
			return
		}
		if raw, err := text.JSON(v); err == nil {
			out.Data[media] = raw
		}
	}
	for media, raw := range i.Data {
		if len(raw) > itemRoom {
			continue
		}
		switch media {
		case TextType, MarkdownType:
			var text string
			ok := json.Unmarshal(raw, &text) == nil
			keep(media, strings.ToValidUTF8(text, "\uFFFD"), ok)
		case TableType:
			t, ok := i.Table()
			keep(media, t, ok)
		case ChartType:
			c, ok := i.Chart()
			keep(media, c, ok)
		case JSONType:
			var b bytes.Buffer
			if json.Compact(&b, raw) == nil && json.Valid(b.Bytes()) {
				out.Data[media] = b.Bytes()
			}
		}
	}
	if _, ok := out.Data[TextType]; !ok {
		out.Data = nil
	}
	return out
}

// Pack encodes items for the transfer from a worker to its host.
func Pack(items []Item) []byte {
	items = Trim(items)
	if len(items) == 0 {
		return nil
	}
	packed, err := text.JSON(items)
	if err != nil {
		return nil
	}
	return packed
}

// Unpack reverses Pack. Items that exceed the bounds are dropped.
func Unpack(packed []byte) []Item {
	var items []Item
	if len(packed) > allRoom*5/4 || json.Unmarshal(packed, &items) != nil {
		return nil
	}
	return Trim(items)
}
