package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type Dur time.Duration

func (d Dur) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }
func (d *Dur) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("dur: %w", err)
	}
	x, err := time.ParseDuration(s)
	*d = Dur(x)
	return err
}

type Key struct{ a, b int }

func (k Key) MarshalText() ([]byte, error) {
	return []byte(strconv.Itoa(k.a) + "/" + strconv.Itoa(k.b)), nil
}
func (k *Key) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d/%d", &k.a, &k.b)
	return err
}

type Base struct {
	ID   int `json:"id"`
	Name string
}
type Deep struct{ Dur }
type Mid struct {
	*Base
	Extra string `json:"extra,omitempty"`
}
type Doc struct {
	Mid
	D     Dur             `json:"d"`
	DP    *Dur            `json:"dp"`
	DS    []Dur           `json:"ds"`
	M     map[Key]Dur     `json:"m"`
	Any   any             `json:"any"`
	Raw   json.RawMessage `json:"raw"`
	priv  int
	Skip  int       `json:"-"`
	Dash  int       `json:"-,"`
	Str   int       `json:"str,string"`
	Omit  *int      `json:"omit,omitempty"`
	Zero  time.Time `json:"zero,omitzero"`
	Deep  Deep
	Iface fmt.Stringer
	F     float64
	B     []byte
	Arr   [2]bool
	Num   json.Number
	S2    struct{ X, Y int } `json:"s2"`
	H     string
}
type Loop struct {
	L *Loop
	N int
}
type Bad struct{ C chan int }
type Animal interface{ Sound() string }
type Dog struct{ Age int }

func (d Dog) Sound() string  { return "woof" }
func (d Dog) String() string { return "dog" }

type Cat struct{ Lives int }

func (c *Cat) Sound() string { return "meow" }

type Zoo struct{ Animals []Animal }

func (z *Zoo) UnmarshalJSON(b []byte) error {
	var raw struct{ Animals []map[string]json.RawMessage }
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for _, m := range raw.Animals {
		if v, ok := m["Age"]; ok {
			var d Dog
			if err := json.Unmarshal(v, &d.Age); err != nil {
				return err
			}
			z.Animals = append(z.Animals, d)
		} else {
			c := &Cat{}
			json.Unmarshal(m["Lives"], &c.Lives)
			z.Animals = append(z.Animals, c)
		}
	}
	return nil
}

type Color int

const (
	Red Color = iota
	Green
)

func (c Color) MarshalText() ([]byte, error) {
	if c > Green {
		return nil, errors.New("no color")
	}
	return []byte([]string{"red", "green"}[c]), nil
}
func (c *Color) UnmarshalText(b []byte) error {
	switch string(b) {
	case "red":
		*c = Red
	case "green":
		*c = Green
	default:
		return fmt.Errorf("bad color %q", b)
	}
	return nil
}

type XAddr struct {
	XMLName xml.Name `xml:"addr"`
	City    string   `xml:"city,attr"`
	Lines   []string `xml:"lines>line"`
	C       Color    `xml:"color"`
	CA      Color    `xml:"ca,attr"`
	Comment string   `xml:",comment"`
	Text    string   `xml:",chardata"`
	X       XDate    `xml:"date"`
}
type XDate struct{ time.Time }

func (d XDate) MarshalXML(e *xml.Encoder, s xml.StartElement) error {
	return e.EncodeElement(d.Format("2006-01-02"), s)
}
func (d *XDate) UnmarshalXML(dec *xml.Decoder, s xml.StartElement) error {
	var t string
	if err := dec.DecodeElement(&t, &s); err != nil {
		return err
	}
	x, err := time.Parse("2006-01-02", t)
	d.Time = x
	return err
}

type XP struct {
	XDate
	N int
}

func main() {
	d := Dur(time.Second)
	doc := Doc{Mid: Mid{&Base{1, "n<>&"}, ""}, D: d, DP: &d, DS: []Dur{d, 0}, M: map[Key]Dur{{1, 2}: d, {0, 3}: 5}, Any: []any{d, Key{1, 2}, map[string]Dur{"x": d}}, Raw: json.RawMessage(`{"a":1}`), Str: 5, Iface: Dog{2}, F: 1e21, B: []byte("hi"), Num: "3", Deep: Deep{d}, H: "\u2028é\x01"}
	b, err := json.Marshal(doc)
	fmt.Println(string(b), err)
	var back Doc
	back.Iface = nil
	err = json.Unmarshal(bytes.Replace(b, []byte(`"Iface":{"Age":2}`), []byte(`"Iface":null`), 1), &back)
	fmt.Println(err, back.ID, back.Name, back.D, *back.DP, back.DS, back.M, back.Any, string(back.Raw), back.Str, back.Deep, string(back.B))
	for _, s := range []string{`{"d":3}`, `{"d":"x"}`, `{"str":1}`, `{"id":"x"}`, `{"s2":{"X":1.5}}`, `{`, `[1,2`, `{"Iface":{"Age":1}}`, `{"m":{"a":"1s"}}`, `{"Arr":[true,false,true]}`, `nul`} {
		var x Doc
		err := json.Unmarshal([]byte(s), &x)
		var te *json.UnmarshalTypeError
		var se *json.SyntaxError
		fmt.Printf("%v %v %v %T\n", err, errors.As(err, &te), errors.As(err, &se), err)
	}
	_, err = json.Marshal(Bad{})
	fmt.Println(err)
	l := &Loop{}
	l.L = l
	_, err = json.Marshal(l)
	fmt.Println(err)
	var z Zoo
	fmt.Println(json.Unmarshal([]byte(`{"animals":[{"Age":3},{"Lives":9}]}`), &z), len(z.Animals), z.Animals[0], z.Animals[1].Sound())
	zb, _ := json.MarshalIndent(z, ">", " ")
	fmt.Println(string(zb))
	cb, err := json.Marshal(map[Color][]Color{Red: {Green}, Green: nil})
	fmt.Println(string(cb), err)
	_, err = json.Marshal([]Color{7})
	var me *json.MarshalerError
	fmt.Println(err, errors.As(err, &me))
	var cm map[Color]*Color
	fmt.Println(json.Unmarshal([]byte(`{"red":"green","green":null}`), &cm), len(cm), *cm[Red], cm[Green])
	fmt.Println(json.Unmarshal([]byte(`{"blue":"green"}`), &cm))
	dec := json.NewDecoder(strings.NewReader(`{"id":1,"zzz":2} {"id":3} [1]`))
	for {
		var b Base
		if err := dec.Decode(&b); err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(b, dec.More(), dec.InputOffset())
	}
	dec = json.NewDecoder(strings.NewReader(`{"id":1,"zzz":2}`))
	dec.DisallowUnknownFields()
	fmt.Println(dec.Decode(&Base{}))
	xb, err := xml.MarshalIndent(XAddr{City: "B", Lines: []string{"a", "b<"}, C: Green, Comment: " c ", Text: "t", X: XDate{time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)}}, "", " ")
	fmt.Println(string(xb), err)
	var xa XAddr
	fmt.Println(xml.Unmarshal(xb, &xa), xa.City, xa.Lines, int(xa.C), int(xa.CA), xa.X.Year(), xa.Comment)
	fmt.Println(xml.Unmarshal([]byte(`<addr><color>pink</color></addr>`), &xa))
	pb, err := xml.Marshal(XP{})
	fmt.Println(string(pb), err)
	jb, err := json.Marshal(XP{N: 3})
	fmt.Println(string(jb), err)
	var anyv any
	json.Unmarshal([]byte(`{"a":[1,2.5,"x",null,true,{"b":{}}]}`), &anyv)
	fmt.Printf("%v %T\n", anyv, anyv.(map[string]any)["a"].([]any)[0])
}
