package grounding

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// use is what a cell does with a literal.
type use int

const (
	said   use = iota // the model states it
	asked             // a search, a comparison or an index uses it
	put               // it replaces what stands in a text
	stored            // it stands in a map, list or text beside what was computed
	given             // a function of the cell's own, which may look for it, gets it
	uses
)

// code is what a cell's source reveals about the origin of its output.
type code struct {
	literals   [uses]strings.Builder
	names      []string // identifiers
	final      bool     // it submits the answer
	expression bool     // the answer is an expression rather than a literal
	derived    bool     // which is made of what was read or seen
	looks      bool     // it searches, indexes or asks a model
	searches   bool     // it searches for what a variable holds
	heads      bool     // it prints only sizes and beginnings
	skims      bool     // or counts of a pattern, too
	prints     bool
	texts      int // number of references to the text
	begun      int // number of references that take only its beginning
	turn, cell int
	locals     set             // names that it declares
	data       strings.Builder // said literals, except labels of printed values
	made       *maker
}

// joint stands between the lines of one literal in data.
const joint = "\x00"

// Cells are parsed statement by statement, to bound memory.
const (
	maxCode      = 256 << 10
	maxStatement = 8 << 10
)

// readCode reads the source of a cell, one top-level statement after the other.
func readCode(src string, made *maker) *code {
	c := &code{heads: true, skims: true, made: made}
	made.begin()
	src = src[:min(len(src), maxCode)]
	depth, from := 0, 0
	scan(src, func(at int, tok token.Token, lit string) {
		switch tok {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			depth++
		case token.RBRACE, token.RPAREN, token.RBRACK:
			depth--
		case token.SEMICOLON, token.EOF:
			if depth <= 0 && lit == "\n" || tok == token.EOF { // not inside the head of a loop
				c.statement(src[from:min(at, len(src))])
				from, depth = min(at+1, len(src)), 0
			}
		}
	})
	c.heads, c.skims = (c.heads || made.heads) && c.prints, c.skims && c.prints
	c.derived = c.expression && made.hands.computed()
	return c
}

// scan reads the tokens of a source, which may be invalid Go.
func scan(src string, each func(at int, tok token.Token, lit string)) {
	var sc scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	sc.Init(file, []byte(src), func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := sc.Scan()
		each(file.Offset(pos), tok, lit)
		if tok == token.EOF {
			return
		}
	}
}

// statement reads one statement or declaration. If it is too large or not Go, all its literals count as said.
func (c *code) statement(src string) {
	if strings.TrimSpace(src) == "" {
		return
	}
	for _, head := range []string{"package p\nfunc _() {\n", "package p\n"} {
		if len(src) > maxStatement {
			break
		}
		f, err := parser.ParseFile(token.NewFileSet(), "", head+src+"\n"+strings.Repeat("}", strings.Count(head, "{")),
			parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
				c.walk(said, d)
				c.declares(d)
				c.made.declare(d)
			}
		}
		return
	}
	c.heads, c.skims = false, false
	c.made.blur("_")
	scan(src, func(_ int, tok token.Token, lit string) {
		switch tok {
		case token.STRING, token.CHAR, token.INT, token.FLOAT:
			c.literal(said, lit)
		case token.IDENT:
			c.names = append(c.names, lit)
			c.made.blur(lit)
		}
	})
}

// plain returns the text of a literal.
func plain(lit string) string {
	if s, err := strconv.Unquote(lit); err == nil {
		return s
	}
	return lit
}

func (c *code) literal(u use, lit string) {
	if b := &c.literals[u]; b.Len() < maxCode {
		b.WriteString(plain(lit) + "\n")
	}
}

// searches are the last parts of the names of functions that search a text for their argument.
var searches = words(`count contains index lastindex grep search find findall findallstring findstring match matchstring similar
 findallstringindex findstringindex query sql sqlq select where filter hasprefix mustcompile compile equalfold lookup get`)

// searching reports whether a function searches, such as Index, grepIn or searchAll.
func searching(name string) bool {
	return searches.has(name) || strings.HasPrefix(name, "grep") || strings.HasPrefix(name, "search")
}

// shapers are functions whose arguments control how a text is cut or joined, rather than what it contains.
var shapers = words(`hassuffix containsany fields split head tail cut trimprefix trimsuffix trim replace replaceall repeat parse atoi
 duration sleep findstringsubmatch findallstringsubmatch indexany splitn cutprefix cutsuffix trimleft trimright containsfunc section part
 lines chunks page pages chapter sheet scene verse row record block`)

// walk visits nodes whose literals have the use u.
func (c *code) walk(u use, nodes ...ast.Node) {
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, func(n ast.Node) bool { return c.node(u, n) })
		}
	}
}

// node visits a node. It reports whether the node's children have the same use.
func (c *code) node(u use, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Value != "0" && n.Value != "1" { // probably a step or a start, not a claim
			c.literal(u, n.Value)
			if s := plain(n.Value); (u == said || u == stored || u == given) && c.data.Len() < maxCode {
				c.data.WriteString(strings.ReplaceAll(s, "\n", joint) + "\n")
			}
		}
	case *ast.CompositeLit:
		lines := make([]string, len(n.Elts))
		for i, e := range n.Elts {
			l, ok := e.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING || u != said {
				return true
			}
			lines[i] = plain(l.Value)
		}
		if len(lines) > 1 {
			c.literal(u, strings.Join(lines, "\n"))
			c.data.WriteString(strings.Join(lines, joint) + "\n")
			return false
		}
	case *ast.Ident:
		c.names = append(c.names, n.Name)
		if n.Name == "context" {
			c.texts++
		}
	case *ast.CallExpr:
		c.call(u, n)
		return false
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ, token.REM, token.LAND, token.LOR:
			c.searches = c.searches || compares(n)
			c.walk(asked, n.X, n.Y)
			return false
		}
	case *ast.IndexExpr:
		c.looks = c.looks || calledName(n.X) != "docs" // to choose a document is no look
		c.searches = c.searches || lookedUp(n.Index)
		c.walk(u, n.X)
		c.walk(asked, n.Index)
		return false
	case *ast.SliceExpr:
		if n.High != nil && calledName(n.X) == "context" && beginning(n) {
			c.begun++
		}
		c.walk(u, n.X)
		for _, e := range []ast.Expr{n.Low, n.High} {
			if e != nil {
				c.walk(asked, e)
			}
		}
		return false
	case *ast.ForStmt:
		for _, s := range []ast.Stmt{n.Init, n.Post} {
			if s != nil {
				c.walk(asked, s)
			}
		}
		if n.Cond != nil {
			c.walk(asked, n.Cond)
		}
		c.walk(u, n.Body)
		return false
	case *ast.RangeStmt:
		if list, ok := n.X.(*ast.CompositeLit); ok && u == said && seeksEach(n) {
			c.walk(asked, list)
		}
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			x, ok := e.(*ast.IndexExpr)
			if ok && calledName(x) == "answer" { // it is set, not read
				c.hand(n.Rhs[0])
				c.names = append(c.names, "content", "ready")
				continue
			}
			c.walk(asked, e)
			if ok && !computes(n.Rhs[0]) { // the model states the value of the key
				c.walk(said, x.Index)
			}
		}
		for i, e := range n.Rhs {
			if _, entry := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.IndexExpr); entry {
				c.store(u, e)
			} else {
				c.walk(u, e)
			}
		}
		return false
	case *ast.Field:
		if n.Tag != nil {
			c.names = append(c.names, n.Tag.Value) // the model puts these words beside a value
			return false
		}
	}
	return true
}

// calledName returns the last part of the name of a called function.
func calledName(e ast.Expr) string {
	switch f := e.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return calledName(f.X)
	}
	return ""
}

// call visits a call and its arguments.
func (c *code) call(u use, n *ast.CallExpr) {
	c.walk(u, n.Fun)
	name := strings.ToLower(calledName(n.Fun))
	if (name == "head" || name == "len") && len(n.Args) > 0 && calledName(n.Args[0]) == "context" {
		c.begun++
	}
	switch {
	case name == "show_vars":
		c.names = append(c.names, "string bytes len map any int float64 bool struct slice")
	case name == "final" || name == "final_var":
		for _, a := range n.Args {
			c.hand(a)
		}
		if name == "final_var" {
			c.expression = true
		}
	case strings.HasPrefix(name, "llm_"), strings.HasPrefix(name, "rlm_"), searching(name):
		c.searches = c.searches || seeks(n.Fun, n.Args)
		c.looks, u = true, asked
	case shapers.has(name):
		u = asked
	case u == said && (name == "print" || name == "println" || name == "printf"):
		c.prints = true
		for _, a := range n.Args {
			count, _ := a.(*ast.CallExpr)
			c.heads = c.heads && beginning(a)
			c.skims = c.skims && (beginning(a) || count != nil && strings.ToLower(calledName(count.Fun)) == "count")
		}
	}
	for i, a := range n.Args {
		if puts(name, i, n.Args) {
			c.walk(put, a)
		} else if name == "append" && i > 0 || name == "writestring" {
			c.store(u, a)
		} else if lit, ok := a.(*ast.BasicLit); ok && strings.Contains(name, "print") { // it is a label
			c.literal(u, lit.Value)
		} else if ok && u == said && name != "" && !formats.has(name) {
			c.walk(given, a)
		} else {
			c.walk(u, a)
		}
	}
}

// store visits what becomes an entry of a map, a list or a text. A number, or words that are no mere key or label, are
// then the model's own, whatever the other entries are.
func (c *code) store(u use, e ast.Expr) {
	if l, ok := e.(*ast.BasicLit); ok && u == said && strings.ContainsAny(l.Value, "0123456789 ") {
		u = stored
	}
	c.walk(u, e)
}

// puts reports whether a function puts its argument i into a text in place of what stands there, and not beside it.
func puts(name string, i int, args []ast.Expr) bool {
	switch name {
	case "replace", "replaceall":
		return i == 2 && !extends(args[1], args[2])
	case "newreplacer":
		return i%2 == 1 && !extends(args[i-1], args[i])
	case "map":
		return i == 0
	case "replaceallstring", "replaceallliteralstring", "replaceallstringfunc", "replaceallfunc":
		return i == 1
	}
	return false
}

// extends reports whether a literal contains another.
func extends(old, by ast.Expr) bool {
	a, ok := old.(*ast.BasicLit)
	b, also := by.(*ast.BasicLit)
	return ok && also && strings.Contains(fold(b.Value), strings.Trim(fold(a.Value), "\"`"))
}

// hand records that an expression is submitted as the answer.
func (c *code) hand(e ast.Expr) {
	c.final = true
	c.expression = c.expression || computes(e)
}

// showVars is the function that shows all variables.
const showVars = "SHOW_VARS"

// formats are functions that only convert their arguments.
var formats = words(`sprintf sprint sprintln string itoa formatint formatfloat quote toupper tolower trimspace trim join repeat replace
 replaceall title int int64 float64 bool marshal marshalindent errorf new min max append`)

// computes reports whether e has a variable, or a call other than a conversion or format.
func computes(e ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			_, field := n.Key.(*ast.Ident)
			found = found || computes(n.Value) || !field && computes(n.Key)
			return false
		case *ast.CompositeLit:
			for _, x := range n.Elts {
				found = found || computes(x)
			}
			return false
		case *ast.CallExpr:
			name, local := n.Fun.(*ast.Ident)
			conversion := local && name.IsExported() || formats.has(strings.ToLower(calledName(n.Fun)))
			found = found || len(n.Args) == 0 || !conversion
			for _, a := range n.Args {
				found = found || computes(a)
			}
			return false
		case *ast.BinaryExpr:
			l, ok := n.X.(*ast.BasicLit)
			found = found || n.Op != token.ADD || ok && l.Kind != token.STRING && l.Kind != token.CHAR
		case *ast.Ident:
			found = found || n.Name != "nil" && n.Name != "true" && n.Name != "false"
		}
		return !found
	})
	return found
}

// beginning reports whether a printed expression is a size, a beginning of the text or a literal.
func beginning(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return false
		}
		switch strings.ToLower(calledName(e.Fun)) {
		case "join", "split", "splitn", "fields", "lines":
			return beginning(e.Args[0]) || calledName(e.Args[0]) == "context"
		case "len", "head", "runecountinstring":
			search, ok := e.Args[0].(*ast.CallExpr)
			return !ok || !searching(strings.ToLower(calledName(search.Fun)))
		}
	case *ast.IndexExpr:
		l, ok := e.Index.(*ast.BasicLit)
		return ok && len(l.Value) == 1 && calledName(e.X) == "lines"
	case *ast.SliceExpr:
		name, low := calledName(e.X), e.Low == nil
		if l, ok := e.Low.(*ast.BasicLit); ok {
			low = l.Value == "0"
		}
		return low && (name == "context" || name == "lines" || beginning(e.X))
	}
	return false
}
