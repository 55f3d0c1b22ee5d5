package repl

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/check"
)

// Completion lists the names that may come next at the end of an unfinished cell.
type Completion struct {
	// Prefix is the part of the name already typed; the chosen name replaces it.
	Prefix string       `json:"prefix"`
	Items  []Suggestion `json:"items"`
}

// Suggestion is one of the names that may come next.
type Suggestion struct {
	Name string `json:"name"`
	// Kind is variable, builtin, function, type, constant, package, field, method or keyword.
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"` // the type or signature; a package's path
	Doc    string `json:"doc,omitempty"`    // for builtins only
}

// Signature describes the function in whose argument list the unfinished cell ends.
type Signature struct {
	Name       string   `json:"name"`
	Parameters []string `json:"parameters"`
	Active     int      `json:"active"` // index of the parameter being written, from 0
	Result     string   `json:"result,omitempty"`
	Doc        string   `json:"doc,omitempty"` // for builtins only
}

// mostSuggested bounds the items of a completion.
const mostSuggested = 500

// Complete lists the names that may come next after before, which is the beginning of a cell: members after a dot,
// otherwise every name in scope that begins with the prefix. The cell is not run. Complete must not be called while
// a cell runs.
func (n *Notebook) Complete(before string) Completion {
	w := writing(before)
	if w.literal {
		return Completion{}
	}
	out := Completion{Prefix: w.prefix}
	for _, sug := range n.front.Suggest(w.operand) {
		out.Items = append(out.Items, Suggestion{Name: sug.Name, Kind: sug.Kind, Detail: sug.Detail})
	}
	if w.operand == "" {
		out.Items = append(out.Items, w.locals...)
		for _, word := range keywords {
			out.Items = append(out.Items, Suggestion{Name: word, Kind: "keyword"})
		}
	}
	out.Items = slices.DeleteFunc(out.Items, func(s Suggestion) bool {
		return s.Name == w.prefix || !strings.HasPrefix(strings.ToLower(s.Name), strings.ToLower(w.prefix))
	})
	// Names whose case matches come first; a name declared in the cell hides the session's name.
	slices.SortStableFunc(out.Items, func(a, b Suggestion) int {
		if x, y := strings.HasPrefix(a.Name, w.prefix), strings.HasPrefix(b.Name, w.prefix); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	out.Items = slices.CompactFunc(out.Items, func(a, b Suggestion) bool { return a.Name == b.Name })
	out.Items = out.Items[:min(len(out.Items), mostSuggested)]
	for i := range out.Items {
		if out.Items[i].Kind == "builtin" {
			out.Items[i].Detail, out.Items[i].Doc = n.documented(out.Items[i].Name)
		}
	}
	return out
}

// keywords lists the keywords that can start a statement, a declaration or a type.
var keywords = []string{
	"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
	"goto", "if", "import",
	"interface", "map", "range", "return", "select", "struct", "switch", "type", "var",
}

// documented returns a builtin's signature and documentation, both empty for any other name.
func (n *Notebook) documented(name string) (signature, doc string) {
	for _, b := range n.cfg.Builtins {
		if b.Name == name {
			signature, doc, _ = strings.Cut(b.Doc, "\n")
		}
	}
	return signature, doc
}

// Signature describes the function whose call is unfinished at the end of before; ok is false if there is none.
// Signature must not be called while a cell runs.
func (n *Notebook) Signature(before string) (sig Signature, ok bool) {
	w := writing(before)
	if w.called == "" {
		return Signature{}, false
	}
	sig = Signature{Name: w.called, Active: w.argument}
	text, doc := n.documented(w.called)
	sig.Doc = doc
	if sig.Parameters, sig.Result, ok = parametersOf(text); !ok {
		typ := n.front.Signature(w.called)
		if typ == nil {
			return Signature{}, false
		}
		if sig.Parameters, sig.Result, ok = parametersOf("f" + strings.TrimPrefix(check.TypeText(typ), "func")); !ok {
			return Signature{}, false
		}
	}
	if last := len(sig.Parameters) - 1; last >= 0 && strings.Contains(sig.Parameters[last], "...") {
		sig.Active = min(sig.Active, last)
	}
	return sig, true
}

// parametersOf splits a signature such as "name(a int, b ...string) error".
func parametersOf(signature string) (parameters []string, result string, ok bool) {
	const head = "package p\nfunc "
	signature, _, _ = strings.Cut(signature, " // ")
	src := head + signature
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return nil, "", false
	}
	fn, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok {
		return nil, "", false
	}
	at := func(from, to token.Pos) string { return src[from-1 : to-1] }
	parameters = []string{}
	for _, field := range fn.Type.Params.List {
		typ := at(field.Type.Pos(), field.Type.End())
		if len(field.Names) == 0 {
			parameters = append(parameters, typ)
		}
		for _, name := range field.Names {
			parameters = append(parameters, name.Name+" "+typ)
		}
	}
	if fn.Type.Results != nil {
		result = at(fn.Type.Results.Pos(), fn.Type.Results.End())
	}
	return parameters, result, true
}

// Check looks for errors that prevent a cell from running, without running it. It returns nil if there are none,
// but an engine may still refuse the cell. Check must not be called while a cell runs.
func (n *Notebook) Check(source string) *CellError {
	number := n.cells + 1
	if err := n.front.LookOver(number, source); err != nil {
		return compileError(number, source, err)
	}
	return nil
}

// cursorState describes the end of an unfinished cell.
type cursorState struct {
	literal  bool         // the end is inside a string, a comment or a number
	prefix   string       // the beginning of a name
	operand  string       // the expression before the dot that precedes prefix
	called   string       // the function in whose argument list the end is
	argument int          // index of that argument
	locals   []Suggestion // names that the cell declares
}

// lexeme is a token with its text and offset.
type lexeme struct {
	tok  token.Token
	text string
	from int
}

// writing analyses the end of an unfinished cell; before is the cell so far.
func writing(before string) (w cursorState) {
	var all []lexeme
	end := len(before)
	file := token.NewFileSet().AddFile("", -1, len(before))
	var s scanner.Scanner
	s.Init(file, []byte(before), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			lit = ""
		}
		all = append(all, lexeme{tok, lit, file.Offset(pos)})
	}
	if n := len(all); n > 0 && all[n-1].tok == token.SEMICOLON && all[n-1].text == "" { // the scanner inserted it
		all = all[:n-1]
	}
	if n := len(all); n > 0 {
		last := all[n-1]
		switch {
		case last.tok == token.COMMENT && last.from+len(last.text) >= end && !strings.HasSuffix(last.text, "*/"),
			unfinished(last):
			w.literal = true
			all = all[:n-1]
		case (last.tok == token.INT || last.tok == token.FLOAT) && last.from+len(last.text) == end:
			w.literal = true
		case (last.tok == token.IDENT || last.tok.IsKeyword()) && last.from+len(last.text) == end:
			w.prefix = last.text
			all = all[:n-1]
		}
	}
	all = slices.DeleteFunc(all, func(l lexeme) bool { return l.tok == token.COMMENT })
	w.locals = localsOf(all)
	if n := len(all); n > 0 && all[n-1].tok == token.PERIOD {
		w.operand = before[operandAt(all, n-1):all[n-1].from]
		w.literal = strings.TrimSpace(w.operand) == ""
	}
	w.called, w.argument = callOf(before, all)
	return w
}

// unfinished reports whether a string or character literal is not closed yet.
func unfinished(l lexeme) bool {
	if l.tok != token.STRING && l.tok != token.CHAR {
		return false
	}
	quote := l.text[0]
	return len(l.text) < 2 || l.text[len(l.text)-1] != quote ||
		quote != '`' && strings.HasSuffix(l.text, `\`+string(quote)) && !strings.HasSuffix(l.text, `\\`+string(quote))
}

// operandAt returns the index in all where the operand that ends before all[end] begins.
func operandAt(all []lexeme, end int) int {
	i := end - 1
	for i >= 0 {
		switch all[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			i = opening(all, i) - 1
			if i >= 0 && (all[i].tok == token.IDENT || all[i].tok == token.RPAREN || all[i].tok == token.RBRACK) {
				continue // the operand that is called or indexed
			}
			return all[i+1].from
		case token.IDENT, token.STRING:
			if i > 0 && all[i-1].tok == token.PERIOD {
				i -= 2
				continue
			}
			return all[i].from
		default:
			return all[i+1].from
		}
	}
	return all[0].from
}

// opening returns the index of the bracket that all[i] closes, 0 if there is none.
func opening(all []lexeme, i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch all[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// callOf returns the function whose argument list a cell ends in, and the index of the argument.
func callOf(before string, all []lexeme) (called string, argument int) {
	depth := 0
	for i := len(all) - 1; i > 0; i-- {
		switch all[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LBRACK, token.LBRACE:
			if depth--; depth < 0 {
				depth, argument = 0, 0 // a literal or an index inside the argument
			}
		case token.COMMA:
			if depth == 0 {
				argument++
			}
		case token.LPAREN:
			if depth--; depth < 0 {
				if all[i-1].tok == token.IDENT && (i < 2 || all[i-2].tok != token.FUNC) {
					return before[operandAt(all, i):all[i].from], argument
				}
				depth, argument = 0, 0 // parentheses around an operand
			}
		case token.SEMICOLON:
			if depth == 0 {
				return "", 0
			}
		}
	}
	return "", 0
}

// localsOf lists the names that the beginning of a cell declares.
func localsOf(all []lexeme) []Suggestion {
	var out []Suggestion
	for i, l := range all {
		switch l.tok {
		case token.DEFINE:
			for j := i - 1; j >= 0 && (all[j].tok == token.IDENT || all[j].tok == token.COMMA); j-- {
				if all[j].tok == token.IDENT && all[j].text != "_" {
					out = append(out, Suggestion{Name: all[j].text, Kind: "variable"})
				}
			}
		case token.VAR, token.CONST, token.TYPE, token.FUNC:
			kind := map[token.Token]string{
				token.VAR: "variable", token.CONST: "constant", token.TYPE: "type", token.FUNC: "function",
			}[l.tok]
			if i+1 < len(all) && all[i+1].tok == token.IDENT {
				out = append(out, Suggestion{Name: all[i+1].text, Kind: kind})
			}
		}
	}
	return out
}
