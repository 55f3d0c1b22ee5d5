package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// CountCalls returns source with the function called name changed so that it counts its calls under that name. If
// there is no such function, or source is not Go, it returns source unchanged: checking it reports the error.
func CountCalls(source, name string) string {
	const head = "package p;"
	file, err := parser.ParseFile(token.NewFileSet(), "", head+source, parser.SkipObjectResolution)
	if err != nil {
		return source
	}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == name && fd.Body != nil {
			at := int(fd.Body.Lbrace-file.FileStart) + 1 - len(head)
			return source[:at] + CalledName + "(" + strconv.Quote(name) + ");" + source[at:]
		}
	}
	return source
}
