package grounding

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mostLiterals bounds the literals of a cell that are searched for in earlier texts.
const mostLiterals = 16

// free collects the names that a statement uses, except the language's, and those that it declares.
func (c *code) free(d ast.Decl) {
	if c.locals == nil {
		c.locals = set{}
	}
	declare := func(es ...ast.Expr) {
		for _, e := range es {
			if id, ok := e.(*ast.Ident); ok {
				c.locals[id.Name] = struct{}{}
			} else if x, ok := e.(*ast.IndexExpr); ok && calledName(x) == "answer" {
				c.locals["answer"] = struct{}{}
			}
		}
	}
	var walk func(n ast.Node) bool
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE || n.Tok == token.ASSIGN {
				declare(n.Lhs...)
			}
		case *ast.RangeStmt:
			declare(n.Key, n.Value)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				declare(name)
			}
		case *ast.Field:
			for _, name := range n.Names {
				declare(name)
			}
		case *ast.SelectorExpr: // a package, or a variable
			if id, ok := n.X.(*ast.Ident); ok && standard.has(id.Name) {
				return false
			}
			ast.Inspect(n.X, walk)
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && builtin(id.Name) {
				for _, a := range n.Args {
					ast.Inspect(a, walk)
				}
				return false
			}
		default:
			return c.name(n)
		}
		return true
	}
	ast.Inspect(d, walk)
}

// builtin reports whether a name is a builtin function of Go.
func builtin(name string) bool {
	_, ok := types.Universe.Lookup(name).(*types.Builtin)
	return ok
}

// name collects a name that is used.
func (c *code) name(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	if ok && id.Name != "_" && (types.Universe.Lookup(id.Name) == nil || builtin(id.Name)) &&
		!strings.HasPrefix(id.Name, "FINAL") {
		c.used = append(c.used, id.Name)
	}
	return true
}

// standard are packages that read nothing but their arguments.
var standard = words(`fmt strings strconv sort slices maps regexp math rand unicode utf8 utf16 time bytes json errors base64
 hex binary csv xml html url base32 ascii85 quotedprintable mime io gzip zlib flate template tabwriter bufio bits big cmp sha256 sha1 md5 crc32`)

// invented reports whether the model made up all the data that a cell works with: neither the cell nor the cells
// whose variables it uses read anything else.
func (t *tracer) invented(c *code, before []Turn) bool {
	for _, name := range c.used {
		if !c.locals.has(name) && !t.own.has(name) {
			return false
		}
	}
	literals := strings.Split(strings.ReplaceAll(c.data.String(), `\n`, "\n"), "\n")
	slices.SortStableFunc(literals, func(a, b string) int { return len(b) - len(a) })
	literals = literals[:min(len(literals), mostLiterals)]
	for _, l := range literals { // 84216 is the 84,216 of a text
		literals = append(literals, separated(strings.TrimSpace(l))...)
	}
	texts := []string{t.run.Shown}
	for _, turn := range before {
		for k := range turn.Cells {
			texts = append(texts, turn.Cells[k].Output, turn.Cells[k].Value)
		}
	}
	const least = 3 // shorter literals occur in a text by chance; a question is short
	seen := func(l string) bool {
		l = strings.TrimSpace(l)
		return stands(t.run.Question, l, least-1) || slices.ContainsFunc(texts, func(text string) bool {
			t.work += len(text) / 16
			return t.work > maxWork || stands(text, l, least) // assume that one was seen
		})
	}
	// One line of the text does not make a sample of it.
	return !slices.ContainsFunc(literals, func(joined string) bool {
		short := func(l string) bool { return len(l) < least && len(l) < len(joined) }
		lines := slices.DeleteFunc(strings.Split(joined, joint), short)
		all := len(lines)
		lines = slices.DeleteFunc(lines, seen)
		return all > 0 && len(lines) <= all/2
	})
}

// separated returns a number of more than three digits with the separators of thousands.
func separated(l string) (out []string) {
	whole, _, _ := strings.Cut(l, ".")
	if n := len(whole); n > 3 && n < 16 && strings.Trim(l, "0123456789.") == "" {
		for _, sep := range []string{",", ".", " ", "'", "\u202f", "\u00a0"} {
			s := whole[:(n-1)%3+1]
			for i := len(s); i < n; i += 3 {
				s += sep + whole[i:i+3]
			}
			out = append(out, s)
		}
	}
	return out
}

// picks reports whether an output has one of some literals, and lacks another.
func picks(literals, out string) bool {
	some, lacks := false, false
	for l := range strings.Lines(literals) {
		if l = strings.TrimSpace(l); len(l) > 1 {
			has := stands(out, l, 2)
			some, lacks = some || has, lacks || !has
		}
	}
	return some && lacks
}

// stands reports whether a text has a literal of at least this many bytes, a short one as a word of its own.
func stands(text, literal string, least int) bool {
	literal = strings.TrimSuffix(literal, ".0")
	i := strings.Index(text, literal)
	return i >= 0 && len(literal) >= least &&
		(len(literal) > 11 || !isWord(lastRune(text[:i])) && !isWord(firstRune(text[i+len(literal):])))
}
