package columns

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// maxDepth limits nested records.
const maxDepth = 64

// node is a field of the schema, with the columns of its values.
type node struct {
	name           string
	key            []byte // the name as JSON
	id             int32
	children       []*node
	first, columns int // range of the columns of values
	rep, def       int // levels at which the field repeats and is defined
	optional       bool
	repeated       bool
	list, pairs    bool // it is a LIST or a MAP, whose only child repeats

	leaf     bool
	physical format.Type
	length   int // length of each value, if it is fixed
	logical  format.LogicalTypeValue
}

// tree builds nodes from a list of elements in which children follow their parent.
type tree struct {
	elements []format.SchemaElement
	leaves   []*node
}

var errSchema = errors.New("the file is damaged: its schema ends too early")

// newTree returns the root, and the nodes that have values.
func newTree(elements []format.SchemaElement) (*node, []*node, error) {
	t := &tree{elements: elements}
	root, err := t.node(0, 0, 0)
	return root, t.leaves, err
}

func (t *tree) node(depth, rep, def int) (*node, error) {
	if len(t.elements) == 0 {
		return nil, errSchema
	}
	if depth > maxDepth {
		return nil, errors.New("its records are nested too deeply")
	}
	from := &t.elements[0]
	t.elements = t.elements[1:]
	n := &node{name: from.Name, first: len(t.leaves), id: from.FieldID, leaf: from.Type.Valid}
	n.key, _ = json.Marshal(n.name)
	if repetition, said := from.RepetitionType.Get(); said && depth > 0 {
		n.optional, n.repeated = repetition == format.Optional, repetition == format.Repeated
	}
	if n.optional || n.repeated {
		def++
	}
	if n.repeated {
		rep++
	}
	n.rep, n.def = rep, def
	n.logical = logical(from)
	if n.leaf {
		n.physical, n.length, n.columns = from.Type.V, int(from.TypeLength.V), 1
		t.leaves = append(t.leaves, n)
		return n, nil
	}
	for range from.NumChildren.V {
		child, err := t.node(depth+1, rep, def)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	n.columns = len(t.leaves) - n.first
	if len(n.children) == 1 && n.children[0].repeated {
		switch n.logical.(type) {
		case *format.ListType:
			n.list = true
		case *format.MapType:
			n.pairs = true
		}
	}
	return n, nil
}

// logical returns the logical type of an element, including the deprecated form; nil if there is none.
func logical(e *format.SchemaElement) format.LogicalTypeValue {
	if e.LogicalType.Value != nil {
		return e.LogicalType.Value
	}
	old, said := e.ConvertedType.Get()
	if !said {
		return nil
	}
	millis, micros := format.TimeUnit{Value: new(format.MilliSeconds)}, format.TimeUnit{Value: new(format.MicroSeconds)}
	switch old {
	case deprecated.UTF8:
		return new(format.StringType)
	case deprecated.Map:
		return new(format.MapType)
	case deprecated.List:
		return new(format.ListType)
	case deprecated.Enum:
		return new(format.EnumType)
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return new(format.DateType)
	case deprecated.TimeMillis:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: millis}
	case deprecated.TimeMicros:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: micros}
	case deprecated.TimestampMillis:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: millis}
	case deprecated.TimestampMicros:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: micros}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (old - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (old - deprecated.Int8), IsSigned: true}
	case deprecated.Json:
		return new(format.JsonType)
	case deprecated.Bson:
		return new(format.BsonType)
	}
	return nil
}

// String returns the schema in the notation of the format's tools.
func (n *node) String() string {
	var b strings.Builder
	b.WriteString("message ")
	if n.name != "" {
		b.WriteString(n.name + " ")
	}
	b.WriteString("{\n")
	for _, c := range n.children {
		c.describe(&b, 1)
	}
	b.WriteString("}")
	return b.String()
}

func (n *node) describe(b *strings.Builder, depth int) {
	indent := strings.Repeat("\t", depth)
	b.WriteString(indent)
	switch {
	case n.optional:
		b.WriteString("optional ")
	case n.repeated:
		b.WriteString("repeated ")
	default:
		b.WriteString("required ")
	}
	b.WriteString(n.kind())
	if n.name != "" {
		b.WriteString(" " + n.name)
	}
	if n.logical != nil {
		b.WriteString(" (" + n.logical.String() + ")")
	}
	if n.id != 0 {
		b.WriteString(" = " + strconv.Itoa(int(n.id)))
	}
	if n.leaf {
		b.WriteString(";\n")
		return
	}
	b.WriteString(" {\n")
	for _, c := range n.children {
		c.describe(b, depth+1)
	}
	b.WriteString(indent + "}\n")
}

func (n *node) kind() string {
	if !n.leaf {
		return "group"
	}
	switch n.physical {
	case format.ByteArray:
		return "binary"
	case format.FixedLenByteArray:
		return "fixed_len_byte_array(" + strconv.Itoa(n.length) + ")"
	}
	return strings.ToLower(n.physical.String())
}
