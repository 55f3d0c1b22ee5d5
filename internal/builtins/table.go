package builtins

import (
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/repl"
)

func (m *factory) table(name string) any {
	return func(site *repl.Site, rows any, header ...string) string {
		cells, ok := tabulate(site, rows, typeOf(site, 0))
		if !ok {
			panic(failed(name, "rows have to be a slice or a map, not a value of type %s",
				shownType(rows, typeOf(site, 0))))
		}
		if len(header) > 0 {
			if !cells.headed {
				cells.rows = slices.Insert(cells.rows, 0, header)
			} else {
				cells.rows[0] = header
			}
		}
		shown := search.Align(cells.rows)
		cells.headed = cells.headed || len(header) > 0
		cells.display(site, shown)
		return printed(site, shown)
	}
}

// printed prints a text if the call is a statement, and returns it.
func printed(site *repl.Site, text string) string {
	if site.Alone {
		site.Print(text + "\n")
	}
	return text
}

// display adds a table to the cell's items, with the text that represents it.
func (c cells) display(site *repl.Site, text string) {
	if item, ok := c.item(text); ok {
		site.Display(item)
	}
}

// item returns a table as an item; ok is false if it has no rows or too many columns.
func (c cells) item(text string) (item bundle.Item, ok bool) {
	t, whole, ok := bundle.NewTable(c.rows, c.headed)
	if !ok || len(t.Rows) == 0 {
		return item, false
	}
	item, err := bundle.New(text, bundle.TableType, t)
	item.Whole = whole
	return item, err == nil
}

// showsRows displays the value of a last expression as a table if it has rows of named columns, and as JSON if it
// is any other list or object.
func showsRows(site *repl.Site, value any, typ types.Type, text string) (item bundle.Item, ok bool) {
	if c, isRows := tabulate(site, value, typ); isRows && c.headed {
		return c.item(text)
	}
	const most = 32 << 10
	if typ == nil || len(text) > most {
		return item, false
	}
	switch types.Unalias(typ).Underlying().(type) {
	case *types.Struct, *types.Map, *types.Slice, *types.Array, *types.Pointer:
	default:
		return item, false
	}
	raw, whole := site.JSON(value, typ)
	if !whole || len(raw) > most || raw == "" || raw[0] != '{' && raw[0] != '[' {
		return item, false
	}
	item, err := bundle.New(text, bundle.JSONType, json.RawMessage(raw))
	return item, err == nil
}

func (m *factory) show(string) any {
	return func(site *repl.Site, values ...any) string {
		lines := make([]string, len(values))
		for i, v := range values {
			t := typeOf(site, i)
			if len(site.Types) != len(values) { // a slice was spread: show(values...)
				t = nil
			}
			lines[i] = site.Format(v, t)
			if cells, ok := tabulate(site, v, t); ok && cells.headed {
				lines[i] = search.Align(cells.rows)
				cells.display(site, lines[i])
			}
		}
		return printed(site, strings.Join(lines, "\n"))
	}
}

// cells are the texts of a table; headed means that the first row names the columns.
type cells struct {
	rows   [][]string
	headed bool
}

// tabulate makes rows of a slice or a map; ok is false for other values.
func tabulate(site *repl.Site, value any, t types.Type) (c cells, ok bool) {
	v := reflect.ValueOf(value)
	if t == nil || !v.IsValid() {
		return cells{}, false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Slice:
		if v.Kind() == reflect.Slice {
			return listRows(site, v, u.Elem()), true
		}
	case *types.Array:
		if v.Kind() == reflect.Array {
			return listRows(site, v, u.Elem()), true
		}
	case *types.Map:
		if v.Kind() == reflect.Map {
			return pairs(site, v, u), true
		}
	case *types.Interface:
		return untypedRows(site, value)
	}
	return cells{}, false
}

// untypedRows tabulates a result of parse_json.
func untypedRows(site *repl.Site, value any) (cells, bool) {
	anything := types.Universe.Lookup("any").Type()
	switch value.(type) {
	case []any:
		return tabulate(site, value, types.NewSlice(anything))
	case map[string]any:
		return tabulate(site, value, types.NewMap(types.Typ[types.String], anything))
	}
	return cells{}, false
}

func listRows(site *repl.Site, v reflect.Value, elem types.Type) cells {
	if p, ok := types.Unalias(elem).Underlying().(*types.Pointer); ok {
		if s, ok := types.Unalias(p.Elem()).Underlying().(*types.Struct); ok {
			return structRows(site, v, s)
		}
	}
	switch u := types.Unalias(elem).Underlying().(type) {
	case *types.Struct:
		return structRows(site, v, u)
	case *types.Map:
		return mapRows(site, v, u)
	case *types.Interface:
		if c, ok := objectRows(site, v); ok {
			return c
		}
	}
	var c cells
	for i := range v.Len() {
		c.rows = append(c.rows, cellsOf(site, v.Index(i), elem))
	}
	return c
}

// fieldOf returns a field's value, even if the field is unexported.
func fieldOf(item reflect.Value, j int) any {
	if f := item.Field(j); f.CanInterface() {
		return f.Interface()
	}
	own := reflect.New(item.Type()).Elem()
	own.Set(item)
	return reflect.NewAt(own.Field(j).Type(), own.Field(j).Addr().UnsafePointer()).Elem().Interface()
}

// structRows makes a table with a column for each field. A nil pointer is an empty row.
func structRows(site *repl.Site, v reflect.Value, s *types.Struct) cells {
	header := make([]string, s.NumFields())
	for i := range header {
		header[i] = s.Field(i).Name()
	}
	c := cells{[][]string{header}, true}
	for i := range v.Len() {
		row := make([]string, len(header))
		item := reflect.Indirect(v.Index(i))
		for j := range row {
			if item.Kind() == reflect.Struct && item.CanInterface() && j < item.NumField() {
				row[j] = site.Format(fieldOf(item, j), s.Field(j).Type())
			}
		}
		c.rows = append(c.rows, row)
	}
	return c
}

// mapRows makes a table with a column for each key, in order of the keys.
func mapRows(site *repl.Site, v reflect.Value, m *types.Map) cells {
	columns := map[string]bool{}
	for i := range v.Len() {
		for _, k := range v.Index(i).MapKeys() {
			columns[site.Format(k.Interface(), m.Key())] = true
		}
	}
	header := make([]string, 0, len(columns))
	for name := range columns {
		header = append(header, name)
	}
	sort.Strings(header)
	c := cells{[][]string{header}, true}
	for i := range v.Len() {
		row := make([]string, len(header))
		for _, k := range v.Index(i).MapKeys() {
			j := sort.SearchStrings(header, site.Format(k.Interface(), m.Key()))
			row[j] = site.Format(v.Index(i).MapIndex(k).Interface(), m.Elem())
		}
		c.rows = append(c.rows, row)
	}
	return c
}

// objectRows tabulates a list of any whose elements are all objects, as parse_json returns it.
func objectRows(site *repl.Site, v reflect.Value) (cells, bool) {
	objects := make([]map[string]any, v.Len())
	for i := range objects {
		o, ok := v.Index(i).Interface().(map[string]any)
		if !ok {
			return cells{}, false
		}
		objects[i] = o
	}
	m := types.NewMap(types.Typ[types.String], types.Universe.Lookup("any").Type())
	return mapRows(site, reflect.ValueOf(objects), m), len(objects) > 0
}

// pairs makes a table with a row for each key, in order of the keys; numeric keys are in numeric order.
func pairs(site *repl.Site, v reflect.Value, m *types.Map) cells {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return less(keys[i], keys[j]) })
	var c cells
	for _, k := range keys {
		row := append([]string{site.Format(k.Interface(), m.Key())}, cellsOf(site, v.MapIndex(k), m.Elem())...)
		c.rows = append(c.rows, row)
	}
	return c
}

func less(a, b reflect.Value) bool {
	switch {
	case a.CanInt() && b.CanInt():
		return a.Int() < b.Int()
	case a.CanFloat() && b.CanFloat():
		return a.Float() < b.Float()
	case a.CanUint() && b.CanUint():
		return a.Uint() < b.Uint()
	}
	return fmt.Sprint(a) < fmt.Sprint(b)
}

// cellsOf returns a row: one cell for each element of a slice, or one for any other value.
func cellsOf(site *repl.Site, v reflect.Value, t types.Type) []string {
	if list, ok := types.Unalias(t).Underlying().(*types.Slice); ok && v.Kind() == reflect.Slice {
		row := make([]string, v.Len())
		for i := range row {
			row[i] = site.Format(v.Index(i).Interface(), list.Elem())
		}
		return row
	}
	return []string{site.Format(v.Interface(), t)}
}

func shownType(v any, t types.Type) string {
	if t == nil {
		return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
	}
	return celltype.TypeName(t)
}

func align(rows [][]string) string { return search.Align(rows) }
