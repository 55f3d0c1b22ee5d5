package xmlread

import "strings"

// spaces maps namespaces, without their root, to the prefixes used here.
var spaces = [...]struct{ space, name string }{
	{"markup-compatibility", "mc"},
	{"package/relationships", "rels"},
	{"package/content-types", "types"},
	{"package/metadata/core-properties", "cp"},
	{"wordprocessingml/main", "w"},
	{"spreadsheetml/main", "x"},
	{"presentationml/main", "p"},
	{"drawingml/main", "a"},
	{"drawingml/wordprocessingDrawing", "wp"},
	{"drawingml/spreadsheetDrawing", "xdr"},
	{"drawingml/chart", "c"},
	{"drawingml/diagram", "dgm"},
	{"officeDocument/relationships", "r"},
	{"officeDocument/math", "m"},
	{"officeDocument/extended-properties", "ep"},
	{"officeDocument/extendedProperties", "ep"},
	{"http://purl.org/dc/elements/1.1/", "dc"},
	{"http://purl.org/dc/terms/", "dcterms"},
	{"urn:schemas-microsoft-com:vml", "v"},
	{"urn:schemas-microsoft-com:office:office", "o"},
	{"http://schemas.microsoft.com/office/word/2010/wordprocessingShape", "wps"},
	{"http://schemas.microsoft.com/office/word/2010/wordml", "w14"},
	{"http://schemas.microsoft.com/office/drawing/2010/main", "a14"},
	{"http://schemas.microsoft.com/office/powerpoint/2018/8/main", "p188"},
	{"http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments", "tc"},
	{"http://www.w3.org/1998/Math/MathML", "math"},
	{"http://www.w3.org/1999/xlink", "xlink"},
	{"http://www.idpf.org/2007/opf", "opf"},
	{"http://www.w3.org/XML/1998/namespace", "xml"},
	{"drawing", "draw"},
	{"svg-compatible", "svg"},
	{"container", "odc"},
}

// roots are common prefixes of namespace addresses. Those of Office Open XML are followed by a year, except in the
// strict variant.
var roots = [...]string{
	"http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/",
	"urn:oasis:names:tc:opendocument:xmlns:",
}

// usual returns the prefix used here for a namespace. An unknown namespace keeps its address, and an undeclared
// prefix is unchanged.
func usual(space string) string {
	for _, root := range roots {
		if name, ok := strings.CutPrefix(space, root); ok {
			// In OpenDocument, a version follows the name: "text:1.0".
			name, _, _ = strings.Cut(name, ":")
			space = strings.ReplaceAll(name, "/2006", "")
		}
	}
	for _, s := range spaces {
		if s.space == space {
			return s.name
		}
	}
	return space
}
