package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// mostNotes bounds the notes about slips in one cell.
const mostNotes = 5

// slips finds valid code that its author probably did not mean.
type slips struct {
	s      *Session
	file   *ast.File
	info   *types.Info
	prints bool // the cell calls functions of fmt or log
	notes  []string
}

// slips returns notes about likely slips in a checked cell.
func (s *Session) slips(file *ast.File, info *types.Info) []string {
	n := &slips{s: s, file: file, info: info}
	ast.Inspect(file, n.node)
	if n.prints {
		n.formats()
	}
	return n.notes
}

func (n *slips) node(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.AssignStmt:
		for _, left := range node.Lhs {
			if id, ok := left.(*ast.Ident); ok && n.isHost(id, "context") && node.Tok != token.DEFINE {
				n.add(id.Pos(), "context is the given text again in the next cell; "+
					"keep what is made of it in a variable of another name, as in text := …")
			}
		}
	case *ast.CallExpr:
		n.call(node)
	}
	return true
}

// isHost reports whether an identifier is the host's variable or function called name.
func (n *slips) isHost(id *ast.Ident, name string) bool {
	host := n.s.hostObjects[name]
	return host != nil && id.Name == name && n.info.Uses[id] == host.obj
}

func (n *slips) call(call *ast.CallExpr) {
	if n.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		n.character(call)
		return
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if n.isHost(fun, ShowName) && len(call.Args) == 1 {
			if _, function := n.info.TypeOf(call.Args[0]).(*types.Signature); function {
				if name := exprName(call.Args[0]); name != "" {
					n.add(call.Args[0].Pos(), name+" is a function and was not called: write "+name+"(…)")
				}
			}
		}
	case *ast.SelectorExpr:
		fn := printing(n.info, fun)
		if fn == nil {
			return
		}
		n.prints = true
		if strings.HasPrefix(fn.Name(), "Print") || strings.HasPrefix(fn.Name(), "Fprint") {
			for _, arg := range call.Args {
				n.whole(arg)
				if !strings.HasSuffix(fn.Name(), "f") {
					n.address(arg)
				}
			}
		}
	}
}

// whole notes that a document, or a part of one, is printed with all its text.
func (n *slips) whole(arg ast.Expr) {
	t := n.info.TypeOf(arg)
	example := exprName(arg)
	for t != nil {
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Slice:
			t, example = u.Elem(), ""
			continue
		case *types.Named:
			name := u.Obj().Name()
			if u.Obj().Pkg() == n.s.host && (name == "Doc" || name == "Part") {
				if example == "" {
					example = "d"
				}
				n.add(arg.Pos(), "a "+name+" is printed with its whole text; "+
					"print "+example+".Name and a slice of "+example+".Text")
			}
		}
		return
	}
}

// address notes that fmt prints a pointer's address.
func (n *slips) address(arg ast.Expr) {
	pointer, ok := n.info.TypeOf(arg).(*types.Pointer)
	if !ok {
		return
	}
	if _, ok := pointer.Elem().Underlying().(*types.Basic); ok && exprName(arg) != "" {
		name := exprName(arg)
		n.add(arg.Pos(), name+" is a pointer and prints as an address; *"+name+
			" is what it points to, where it is not nil")
	}
}

// character notes that a conversion turns a number into a character.
func (n *slips) character(call *ast.CallExpr) {
	to, _ := n.info.TypeOf(call).Underlying().(*types.Basic)
	from, _ := n.info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	if to == nil || from == nil || to.Info()&types.IsString == 0 || from.Info()&types.IsInteger == 0 ||
		n.info.Types[call.Args[0]].Value != nil {
		return
	}
	if from.Kind() != types.Byte && from.Kind() != types.Rune && from.Kind() != types.UntypedRune {
		n.add(call.Pos(), "string(n) is the character with the number n; fmt.Sprint(n) writes the number")
	}
}

// exprName returns an expression as written if it is short and consists of names and simple indices; empty for
// anything else.
func exprName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return cell.Display(e.Name)
	case *ast.SelectorExpr:
		if x := exprName(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	case *ast.IndexExpr:
		x, index := exprName(e.X), exprName(e.Index)
		if lit, ok := e.Index.(*ast.BasicLit); ok && lit.Kind == token.INT {
			index = lit.Value
		}
		if x != "" && index != "" {
			return x + "[" + index + "]"
		}
	}
	return ""
}

// formats runs go vet's check of formats and arguments.
func (n *slips) formats() {
	pass := &analysis.Pass{
		Analyzer: printf.Analyzer, Fset: n.s.fset, Files: []*ast.File{n.file}, Pkg: n.s.pkg, TypesInfo: n.info,
		TypesSizes: types.SizesFor("gc", "amd64"),
		ResultOf:   map[*analysis.Analyzer]any{inspect.Analyzer: inspector.New([]*ast.File{n.file})},
		Report: func(d analysis.Diagnostic) {
			if advice := formatAdvice(d.Message); advice != "" {
				n.add(d.Pos, advice)
			}
		},
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	defer func() { _ = recover() }() // if the check fails, only its notes are lost
	_, _ = pass.Analyzer.Run(pass)
}

// formatAdvice turns vet's message into a note; empty for harmless findings.
func formatAdvice(message string) string {
	message = cell.Display(message)
	switch {
	case strings.Contains(message, "redundant newline"), strings.Contains(message, "non-constant format"),
		strings.Contains(message, "unused result"):
		return ""
	case strings.Contains(message, "possible Printf formatting directive"):
		return message + ": formats need fmt.Printf, or fmt.Sprintf for a text"
	case strings.Contains(message, "is a func value, not called"):
		return message + ": write its arguments in parentheses"
	}
	return message
}

// add adds a note, preceded by the number of its line.
func (n *slips) add(pos token.Pos, text string) {
	if len(n.notes) < mostNotes {
		n.notes = append(n.notes, "line "+strconv.Itoa(n.s.fset.Position(pos).Line)+": "+text)
	}
}
