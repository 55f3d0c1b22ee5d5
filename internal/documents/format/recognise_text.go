package format

import (
	"bytes"
	"strings"
)

// isHTML reports whether text is a web page. Text that starts like an HTML page is HTML whatever its name. A
// fragment that begins with another tag is HTML only if its name says so, because Markdown, templates and XML also
// begin with tags. Pages with template directives are source code.
func isHTML(text []byte, ext string) bool {
	named := ext == ".html" || ext == ".htm" || ext == ".xhtml" || ext == ".xht" || ext == ".shtml"
	rest := skipPrologue(text)
	switch tag := firstTag(rest); {
	case tag == "!doctype":
		// Other document types are XML: SVG, DocBook.
		if kind := bytes.TrimSpace(rest[len("<!doctype"):min(len(rest), 40)]); len(kind) < 4 ||
			!strings.EqualFold(string(kind[:4]), "html") {
			return false
		}
	case tag == "html", tag == "head", tag == "body":
	case named && tag != "svg" && !bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(text, []byte("</")):
		return text[0] != '{' && text[0] != '[' && !isTemplate(text)
	default:
		return false
	}
	return !isTemplate(text)
}

// skipPrologue skips an XML declaration, processing instructions and comments.
func skipPrologue(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f")
		end := ""
		switch {
		case bytes.HasPrefix(text, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(text, []byte("<?xml")):
			end = "?>"
		default:
			return text
		}
		i := bytes.Index(text, []byte(end))
		if i < 0 {
			return nil
		}
		text = text[i+len(end):]
	}
}

// firstTag returns the name of the tag at the start of text, in lower case ("html", "!doctype"); empty if there is
// none.
func firstTag(text []byte) string {
	if len(text) < 2 || text[0] != '<' {
		return ""
	}
	text = text[1:min(len(text), 32)]
	end := bytes.IndexAny(text, " \t\r\n\f>/")
	if end < 0 {
		return ""
	}
	name := strings.ToLower(string(text[:end]))
	for i, c := range name {
		if (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') && (i > 0 || c != '!') {
			return ""
		}
	}
	return name
}

// directives mark the code of template engines in a page.
var directives = [][]byte{
	[]byte("<?php"), []byte("<?="), []byte("<%"), []byte("{% "), []byte("{%- "), []byte("{{#"), []byte("{{>"),
	[]byte("{{-"),
	[]byte("{{ ."), []byte("{{."), []byte("{{define "), []byte("{{ define "), []byte("{{template "),
	[]byte("{{ template "),
	[]byte("{{block "), []byte("{{ block "), []byte("{{range "), []byte("{{ range "), []byte("{{if "), []byte("{{ if "),
	[]byte("{{with "),
	[]byte("{{ with "), []byte("{{partial "), []byte("{{ partial "), []byte("{{ partialCached "),
}

// isTemplate reports whether text contains directives before the first element that may quote code.
func isTemplate(text []byte) bool {
	for _, quote := range []string{"<pre", "<code", "<script", "<textarea"} {
		if i := bytes.Index(text, []byte(quote)); i >= 0 {
			text = text[:i]
		}
	}
	for _, d := range directives {
		if bytes.Contains(text, d) {
			return true
		}
	}
	return false
}

// header returns the name of a mail header line, in lower case, or "+" for a continuation line.
func header(line string) (name string, ok bool) {
	if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return "+", true
	}
	name, _, ok = strings.Cut(line, ":")
	name = strings.TrimRight(name, " \t")
	if !ok || name == "" || len(name) > 76 {
		return "", false
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7F {
			return "", false
		}
	}
	return strings.ToLower(name), true
}

// isMail reports whether text is a message. It requires a block of headers, some of which only programs write. Text
// that people type ("From: … To: … Subject: …") is a message only if the file's name says so.
func isMail(text []byte, ext string, complete bool) bool {
	first, known, set := true, 0, false
	for more := true; more; {
		var raw []byte
		raw, text, more = bytes.Cut(text, []byte("\n"))
		if !more && !complete && !first {
			break // head is truncated here
		}
		line := string(bytes.TrimSuffix(raw, []byte("\r")))
		if line == "" {
			break
		}
		name, ok := header(line)
		if first && name == "+" || !ok {
			// Some mailers keep ">From …" lines left over from a mailbox.
			if !first && strings.HasPrefix(line, ">From ") {
				continue
			}
			return false
		}
		first = false
		switch name {
		case "message-id", "mime-version", "received", "return-path", "delivered-to", "dkim-signature",
			"authentication-results":
			set = true
			known++
		case "from", "to", "cc", "subject", "date", "sender", "reply-to", "content-type", "content-transfer-encoding":
			known++
		}
	}
	named := ext == ".eml" || ext == ".mht" || ext == ".mhtml" || ext == ".email"
	return known >= 3 && set || named && known >= 1
}

// isMbox reports whether text is a mailbox. It requires the line that begins each message of a mailbox ("From
// alice@example.org Thu Jan  1 00:00:01 2026"), followed by headers. Git patches look similar but are text.
func isMbox(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("From ")) {
		return false
	}
	line, rest, _ := strings.Cut(string(text), "\n")
	if !IsFromLine(line) || strings.HasSuffix(strings.TrimSpace(line), " Mon Sep 17 00:00:00 2001") {
		return false
	}
	known := 0
	for _, line := range strings.SplitN(rest, "\n", 200) {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			break
		}
		name, ok := header(line)
		if !ok && !strings.HasPrefix(line, ">From ") {
			return false
		}
		switch name {
		case "from", "to", "subject", "date", "message-id", "received", "return-path", "mime-version":
			known++
		}
	}
	return known >= 2
}

// IsFromLine reports whether a line begins a message of a mailbox: "From ", a sender, a time of day and a year.
func IsFromLine(line string) bool {
	rest, ok := strings.CutPrefix(line, "From ")
	if !ok || len(line) > 400 {
		return false
	}
	clock, year := false, false
	for _, field := range strings.Fields(rest) {
		switch {
		case len(field) >= 4 && strings.Count(field, ":") >= 1 && isDigits(strings.ReplaceAll(field, ":", "")):
			clock = true
		case len(field) == 4 && isDigits(field) && (field[0] == '1' || field[0] == '2'):
			year = true
		}
	}
	return clock && year
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isNotebook reports whether JSON is a notebook, judging by the names in its outermost object. text may be
// truncated.
func isNotebook(text []byte, ext string) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	names := jsonNames(text)
	switch {
	case names["/nbformat"] && (names["/cells"] || names["/worksheets"] || names["/metadata"]):
		return true
	case names["/cells"] && names["/cells/cell_type"]:
		return true
	}
	return ext == ".ipynb" && (names["/cells"] || names["/worksheets"] || names["/metadata"])
}

// jsonNames collects member names: "/name" for the outermost object, and "/cells/name" for objects in its list
// "cells". It stops at the end of a truncated text.
func jsonNames(text []byte) map[string]bool {
	names := map[string]bool{}
	depth, outer, key := 0, "", false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			if depth == 0 && i > 0 {
				return nil // the text is JSON Lines
			}
			depth++
			key = true
		case '[':
			depth++
			key = false
		case '}', ']':
			depth--
			key = false
		case ',':
			key = true
		case ':':
			key = false
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return names
			}
			name := string(text[i+1 : end])
			switch i = end; {
			case key && depth == 1:
				outer = name
				names["/"+name] = true
			case key && depth == 3 && outer == "cells":
				names["/cells/"+name] = true
			}
		}
	}
	return names
}
