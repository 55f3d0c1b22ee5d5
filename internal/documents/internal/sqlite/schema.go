package sqlite

import (
	"slices"
	"strings"
)

// column is a column of a table, according to its CREATE TABLE statement.
type column struct {
	name     string
	floating bool   // whole numbers are shown with a decimal point
	rowid    bool   // it is an alias of the rowid
	virtual  bool   // it is computed and not stored
	missing  string // its value in rows older than the column
}

// table is the content of a CREATE TABLE statement.
type table struct {
	columns      []column
	stored       []int // columns in the order of the stored rows
	withoutRowid bool
}

// token is a word, a quoted name or a punctuation mark of SQL.
type token struct {
	text   string
	quoted bool
}

func (t token) is(word string) bool { return !t.quoted && strings.EqualFold(t.text, word) }

// scan splits a statement into tokens.
func scan(sql string) (tokens []token) {
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case strings.HasPrefix(sql[i:], "--"):
			n := strings.IndexByte(sql[i:], '\n')
			if n < 0 {
				return tokens
			}
			i += n
		case strings.HasPrefix(sql[i:], "/*"):
			n := strings.Index(sql[i+2:], "*/")
			if n < 0 {
				return tokens
			}
			i += n + 4
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		case c == '"' || c == '`' || c == '\'' || c == '[':
			end := c
			if c == '[' {
				end = ']'
			}
			var b strings.Builder
			for i++; i < len(sql); i++ {
				if sql[i] == end {
					if end == ']' || i+1 >= len(sql) || sql[i+1] != end {
						break
					}
					i++
				}
				b.WriteByte(sql[i])
			}
			i++
			tokens = append(tokens, token{b.String(), true})
		case isWord(c):
			j := i
			for j < len(sql) && isWord(sql[j]) {
				j++
			}
			tokens = append(tokens, token{sql[i:j], false})
			i = j
		default:
			tokens = append(tokens, token{string(c), false})
			i++
		}
	}
	return tokens
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// parseTable reads a CREATE TABLE statement as far as it determines how rows are stored.
func parseTable(sql string) (t table) {
	tokens := scan(sql)
	open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(") })
	if open < 0 {
		return t
	}
	var key []string
	rest := tokens[open+1:]
	for len(rest) > 0 {
		end, depth := 0, 0
		for end < len(rest) && (depth > 0 || !rest[end].is(",") && !rest[end].is(")")) {
			switch {
			case rest[end].is("("):
				depth++
			case rest[end].is(")"):
				depth--
			}
			end++
		}
		def := rest[:end]
		last := end >= len(rest) || rest[end].is(")")
		rest = rest[min(end+1, len(rest)):]
		t.define(def, &key)
		if last {
			break
		}
	}
	for i := range rest {
		if rest[i].is("without") {
			t.withoutRowid = true
		}
	}
	t.order(key)
	return t
}

// define adds the column or constraint of a definition to the table.
func (t *table) define(def []token, key *[]string) {
	if len(def) == 0 {
		return
	}
	if first := def[0]; first.is("constraint") || first.is("primary") || first.is("unique") || first.is("check") ||
		first.is("foreign") {
		i := slices.IndexFunc(def, func(t token) bool { return t.is("primary") })
		if i < 0 || slices.ContainsFunc(def[:i], func(t token) bool { return t.is("(") }) {
			return
		}
		for j := i + 3; j < len(def) && !def[j].is(")"); j++ {
			if def[j-1].is("(") || def[j-1].is(",") {
				*key = append(*key, def[j].text)
			}
		}
		if len(*key) == 1 && !t.withoutRowid {
			for c := range t.columns {
				if strings.EqualFold(t.columns[c].name, (*key)[0]) && t.columns[c].missing == "integer" {
					t.columns[c].rowid = true
				}
			}
		}
		return
	}
	c := column{name: def[0].text}
	typ, i := "", 1
	for ; i < len(def) && !isConstraint(def[i]); i++ {
		typ += " " + strings.ToLower(def[i].text)
	}
	typ = strings.TrimSpace(typ)
	c.floating = !strings.Contains(typ, "int") &&
		(strings.Contains(typ, "real") || strings.Contains(typ, "floa") || strings.Contains(typ, "doub"))
	if typ == "integer" {
		c.missing = typ // remembers the type until order runs
	}
	for ; i < len(def); i++ {
		switch {
		case def[i].is("primary"):
			*key = append(*key, c.name)
			c.rowid = typ == "integer" && (i+2 >= len(def) || !def[i+2].is("desc"))
		case def[i].is("as") && i+1 < len(def) && def[i+1].is("("):
			c.virtual = !slices.ContainsFunc(def[i:], func(t token) bool { return t.is("stored") })
		case def[i].is("default") && i+1 < len(def):
			value := def[i+1].text
			if (value == "-" || value == "+") && i+2 < len(def) {
				value += def[i+2].text
			}
			if !def[i+1].is("(") && !def[i+1].is("null") {
				c.missing = "=" + value
			}
		}
	}
	t.columns = append(t.columns, c)
}

func isConstraint(t token) bool {
	for _, word := range []string{
		"constraint", "primary", "not", "null", "unique", "check", "default", "collate",
		"references", "generated", "as",
	} {
		if t.is(word) {
			return true
		}
	}
	return false
}

// order determines the position of each column in a stored row: as declared, but in a table without rowid the key
// comes first.
func (t *table) order(key []string) {
	var rest []int
	taken := map[int]bool{}
	if t.withoutRowid {
		for _, name := range key {
			for i, c := range t.columns {
				if strings.EqualFold(c.name, name) && !taken[i] {
					t.stored = append(t.stored, i)
					taken[i] = true
				}
			}
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		c.rowid = c.rowid && !t.withoutRowid && len(key) == 1
		c.missing, _ = strings.CutPrefix(c.missing, "=")
		if c.missing == "integer" {
			c.missing = ""
		}
		if !taken[i] && !c.virtual {
			rest = append(rest, i)
		}
	}
	t.stored = append(t.stored, rest...)
}
