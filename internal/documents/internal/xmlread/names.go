package xmlread

import "strings"

// usual is what elements of a namespace are called here; an unknown namespace keeps its address, and a prefix that nobody declared stays.
func usual(space string) string {
	switch space {
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc"
	case "http://schemas.openxmlformats.org/package/2006/relationships":
		return "rels"
	case "http://schemas.openxmlformats.org/package/2006/content-types":
		return "types"
	case "http://schemas.openxmlformats.org/package/2006/metadata/core-properties":
		return "cp"
	case "http://purl.org/dc/elements/1.1/":
		return "dc"
	case "http://purl.org/dc/terms/":
		return "dcterms"
	case "urn:schemas-microsoft-com:vml":
		return "v"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingShape":
		return "wps"
	case "http://schemas.microsoft.com/office/word/2010/wordml":
		return "w14"
	case "http://schemas.microsoft.com/office/drawing/2010/main":
		return "a14"
	case "http://schemas.microsoft.com/office/powerpoint/2018/8/main":
		return "p188"
	case "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments":
		return "tc"
	case "http://www.w3.org/1998/Math/MathML":
		return "math"
	case "http://www.w3.org/1999/xlink":
		return "xlink"
	case "http://www.idpf.org/2007/opf":
		return "opf"
	case "http://www.w3.org/XML/1998/namespace":
		return "xml"
	}
	if name, ok := strings.CutPrefix(space, "urn:oasis:names:tc:opendocument:xmlns:"); ok {
		switch name, _, _ = strings.Cut(name, ":"); name {
		case "drawing":
			return "draw"
		case "svg-compatible":
			return "svg"
		case "container":
			return "odc"
		}
		return name // "text", "table", "office", "style", "presentation", "meta", "manifest", "chart"
	}
	for _, root := range []string{"http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"} {
		if name, ok := strings.CutPrefix(space, root); ok {
			return officePrefix(name)
		}
	}
	return space
}

// officePrefix names the namespaces of Office Open XML, which the strict form has without a year.
func officePrefix(name string) string {
	switch strings.ReplaceAll(name, "/2006", "") {
	case "wordprocessingml/main":
		return "w"
	case "spreadsheetml/main":
		return "x"
	case "presentationml/main":
		return "p"
	case "drawingml/main":
		return "a"
	case "drawingml/wordprocessingDrawing":
		return "wp"
	case "drawingml/spreadsheetDrawing":
		return "xdr"
	case "drawingml/chart":
		return "c"
	case "drawingml/diagram":
		return "dgm"
	case "officeDocument/relationships":
		return "r"
	case "officeDocument/math":
		return "m"
	case "officeDocument/extended-properties", "officeDocument/extendedProperties":
		return "ep"
	}
	return name
}
