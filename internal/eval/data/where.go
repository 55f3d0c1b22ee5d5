package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Filter selects items of a file: those whose fields satisfy all conditions, such as
//
//	dataset=trec_coarse,context_len<=131072
//
// A field is a field of the file's records. The operators are =, !=, <, <=, > and >=; the last four compare
// numbers. A value that contains a comma or is surrounded by spaces must be in double quotes. The zero Filter
// selects all items.
type Filter struct {
	text       string
	conditions []condition
}

type condition struct {
	field, operator, value string
}

// operators: longer ones first, because shorter ones are their prefixes.
var operators = []string{"!=", "<=", ">=", "=", "<", ">"}

// NewFilter parses conditions separated by commas.
func NewFilter(conditions string) (Filter, error) {
	f := Filter{text: conditions}
	for rest := conditions; strings.TrimSpace(rest) != ""; {
		at := strings.IndexAny(rest, "!<>=")
		if at < 0 {
			return f, fmt.Errorf("%q is not a condition: write FIELD=VALUE, with =, !=, <, <=, > or >=",
				strings.TrimSpace(rest))
		}
		c := condition{field: strings.TrimSpace(rest[:at])}
		for _, o := range operators {
			if strings.HasPrefix(rest[at:], o) {
				c.operator = o
				break
			}
		}
		if c.field == "" || c.operator == "" {
			return f, fmt.Errorf("%q is not a condition: write FIELD=VALUE, with =, !=, <, <=, > or >=",
				strings.TrimSpace(rest))
		}
		var err error
		if c.value, rest, err = filterValue(rest[at+len(c.operator):]); err != nil {
			return f, err
		}
		if _, number := strconv.ParseFloat(c.value, 64); number != nil && strings.ContainsAny(c.operator, "<>") {
			return f, fmt.Errorf("%s%s%s: %s compares only numbers", c.field, c.operator, c.value, c.operator)
		}
		f.conditions = append(f.conditions, c)
	}
	return f, nil
}

// filterValue reads a value up to the next comma.
func filterValue(rest string) (value, more string, err error) {
	if trimmed := strings.TrimSpace(rest); strings.HasPrefix(trimmed, `"`) {
		quoted, err := strconv.QuotedPrefix(trimmed)
		if err == nil {
			value, err = strconv.Unquote(quoted)
		}
		more = strings.TrimSpace(trimmed[len(quoted):])
		if err != nil || more != "" && more[0] != ',' {
			return "", "", errors.New("a quotation mark is not closed before the next comma")
		}
		return value, strings.TrimPrefix(more, ","), nil
	}
	value, more, _ = strings.Cut(rest, ",")
	return strings.TrimSpace(value), more, nil
}

// matches reports whether a record satisfies all conditions, and adds its fields to seen. A record without a field
// satisfies no condition on it.
func (f Filter) matches(record []byte, seen map[string]bool) (bool, error) {
	if len(f.conditions) == 0 {
		return true, nil
	}
	has, err := fieldsOf(record)
	if err != nil {
		return false, err
	}
	for name := range has {
		seen[name] = true
	}
	for _, c := range f.conditions {
		raw, there := has[c.field]
		if !there || !c.holds(raw) {
			return false, nil
		}
	}
	return true, nil
}

// check rejects conditions on fields that no item has.
func (f Filter) check(seen map[string]bool) error {
	for _, c := range f.conditions {
		if seen[c.field] {
			continue
		}
		names := slices.Sorted(maps.Keys(seen))
		hint := ""
		if near := text.Closest(c.field, names); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return fmt.Errorf("no item has the field %q, only %s%s", c.field, strings.Join(names, ", "), hint)
	}
	return nil
}

func (c condition) holds(raw json.RawMessage) bool {
	value := string(raw)
	if s := ""; json.Unmarshal(raw, &s) == nil && value != "null" {
		value = s
	}
	a, aerr := strconv.ParseFloat(value, 64)
	b, berr := strconv.ParseFloat(c.value, 64)
	numbers := aerr == nil && berr == nil
	switch c.operator {
	case "=":
		return value == c.value || numbers && a == b
	case "!=":
		return value != c.value && !(numbers && a == b)
	case "<":
		return numbers && a < b
	case "<=":
		return numbers && a <= b
	case ">":
		return numbers && a > b
	}
	return numbers && a >= b
}
