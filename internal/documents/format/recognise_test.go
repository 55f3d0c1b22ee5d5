package format_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

func wide(s string) string {
	var b strings.Builder
	b.WriteString("\xFF\xFE")
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

func tarOf(t *testing.T, name string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 2}))
	_, err := w.Write([]byte("hi"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

const (
	mailHeaders = "Return-Path: <a@example.org>\r\nReceived: from x\r\n\tby y; Mon, 5 Jan 2026\r\nFrom: A <a@example.org>\r\nTo: b@example.org\r\nSubject: Hi\r\n\r\nHello"
	mbox        = "From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nSubject: Hi\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nHello\n"
	notebook    = `{"cells": [{"cell_type": "markdown", "source": ["# Hi"]}], "metadata": {}, "nbformat": 4}`
)

func TestRecogniseGoesByContent(t *testing.T) {
	var zipped, gzipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	require.NoError(t, z.Close())
	g := gzip.NewWriter(&gzipped)
	require.NoError(t, g.Close())
	page := "<!DOCTYPE html>\n<html><body>Hi</body></html>"
	for i, c := range []struct {
		name, content string
		want          format.Form
	}{
		{"a", "", format.Text},
		{"app.pyz", "#!/usr/bin/env python3\nPK\x03\x04\x14\x00\x00\x00\x08\x00", format.Zip},
		{"install.run", "#!/bin/sh\nunzip \"$0\"\nexit\nPK\x03\x04\n\x00\x00", format.Zip},
		{"ext.crx", "Cr24\x03\x00\x00\x00\x02\x01\x00PK\x03\x04\n\x00\x00", format.Zip},
		{"sent.docx", "\x00\x05\x16\x07JUNK\r\nPK\x03\x04\n\x00\x00", format.Zip},
		{"notes.txt", "a zip begins with PK\x03\x04, as its format says\n", format.Text},
		{"magic.sh", "#!/bin/sh\nhead -c 4 a | grep PK\n", format.Text},
		{"hole.log", strings.Repeat("\x00", 3000) + strings.Repeat("2024-05-01 worker started\n", 100), format.Text},
		{"onenul.csv", "id,name\n1,ann\n2,bo\x00b\n3,cy\n", format.Text},
		{"winmail.dat", "\x78\x9F\x3E\x22\x01\x00", format.TNEF},
		{"report.html", "%PDF-1.7\n%\xE2\xE3\xCF\xD3", format.PDF},
		{"a.txt", "\xEF\xBB\xBF%PDF-1.4\n1 0 obj", format.PDF},
		{"a.pdf", "HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n" + strings.Repeat("\x00\x01\x02x", 100), format.PDF},
		{"a.pdf", "Some junk before the header\n\n%PDF-1.1\n1 0 obj\n<</Type/Catalog>>", format.PDF},
		{"a", "Some junk before the header\n\n%PDF-1.1\n1 0 obj\n<</Type/Catalog>>", format.PDF},
		{"a.pdf", "%\xE2\xE3\xCF\xD3\n1 0 obj \n<<\n/Pages 2 0 R", format.PDF},
		{"a.pdf", "\r1 0 obj\r<</Pages 2 0 R>>", format.PDF},
		{"a", "\x00\x01\x02\x03\n12 0 obj\n<</Length 9>>", format.PDF},
		{"talk.md", "A PDF begins with\n\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\nand so on.", format.Text},
		{"talk.txt", "A PDF begins with\n%PDF-1.4\nand a number.", format.Text},
		{"a.pdf", "not a PDF at all", format.Text},
		{"a.docx", zipped.String(), format.Zip},
		{"a.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\x00\x00", format.OLE},
		{"a.doc", `{\rtf1\ansi Hi}`, format.RTF},
		{"a.gz", gzipped.String(), format.Gzip},
		{"a", "BZh91AY&SY\x00\x01", format.Bzip2},
		{"a", "BZh9\x17\x72\x45\x38\x50\x90", format.Bzip2},
		{"a.txt", "see 1AY&SY here", format.Text},
		{"a", "\xFD7zXZ\x00\x00", format.XZ},
		{"a", "\x28\xB5\x2F\xFD\x00", format.Zstd},
		{"a", "\x50\x2A\x4D\x18\x04\x00\x00\x00skip\x28\xB5\x2F\xFD\x00PK\x03\x04", format.Zstd},
		{"a", tarOf(t, "x.txt"), format.Tar},
		{"a", "PAR1\x15\x04\x15", format.Parquet},
		{"a.txt", "PAR1 was a race", format.Text},
		{"a", "SQLite format 3\x00\x10\x00", format.SQLite},
		{"a.txt", "SQLite format 3 is described here", format.Text},

		{"page", page, format.HTML},
		{"page.txt", page, format.HTML},
		{"page.html", "\xEF\xBB\xBF\n " + page, format.HTML},
		{"page", wide(page), format.HTML},
		{"page", "<!-- saved from url --><!-- x -->\n<HTML>\n<BODY>x", format.HTML},
		{
			"page", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="http://www.w3.org/1999/xhtml">`,
			format.HTML,
		},
		{"page.aspx?id=3", "<html lang=de><head></head>", format.HTML},
		{"frag.html", "<p>One</p><p>Two</p>", format.HTML},
		{"frag.html", "Just <b>text</b>", format.HTML},
		{"frag", "<p>One</p><p>Two</p>", format.Text},
		{"empty.html", "nothing that is marked", format.Text},
		{"x.html", "{{define \"page\"}}<!DOCTYPE html><html></html>{{end}}", format.Text},
		{"x.html", "<!DOCTYPE html><title>{{ .Title }}</title>", format.Text},
		{"x.html", "{% extends 'base.html' %}<p>x</p>", format.Text},
		{"x.html", "<html><?php echo 1; ?></html>", format.Text},
		{"doc.html", "<!DOCTYPE html><p>Write <code>{% block x %}</code></p>", format.HTML},
		{"x.gohtml", page, format.Text},
		{"README.md", "<div align=\"center\">\n\n# Title\n", format.Text},
		{"README", "<!-- note -->\n# Title\n", format.Text},
		{"README.md", page, format.Text},
		{"page_test.go", "package a\n\nconst s = `<!DOCTYPE html><html>`\n", format.Text},
		{"a.svg", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>`, format.Text},
		{"a", `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"><svg></svg>`, format.Text},
		{"feed", `<?xml version="1.0"?><rss><channel></channel></rss>`, format.Text},
		{"a", "<htmlish>", format.Text},
		{"a", "<", format.Text},
		{"a", "<!--", format.Text},

		{"m", mailHeaders, format.Mail},
		{
			"m.txt", strings.TrimSuffix(mailHeaders, "\r\n\r\nHello") +
				"\r\nX-Long: " + strings.Repeat("x\r\n\t", 3000),
			format.Mail,
		},
		{"m.eml", "Subject: only this\n\nHello", format.Mail},
		{"m.txt", "From: me\nTo: you\nSubject: lunch\nDate: today\n\nAt one?", format.Text},
		{"m.eml", "Hello", format.Text},
		{"page.mhtml", "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\"\r\n\r\n", format.Mail},
		{"a.yaml", "from: a\nto: b\nsubject: c\nmessage-id: d\n", format.Text},
		{"http", "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Type: text/html\r\nReceived: y\r\n\r\n", format.Text},
		{"box", mbox, format.Mbox},
		{"box", strings.Replace(mbox, "a@example.org Mon", "a at example.org  Mon", 1), format.Mbox},
		{"box", strings.Replace(mbox, "From a@example.org Mon Jan  5 10:00:00 2026",
			"From 123@xxx Mon Jan 05 10:00:00 +0000 2026", 1), format.Mbox},
		{"app.log", "From here on it fails\nkey: value\n", format.Text},
		{"app.log", "From 10.0.0.1 at 10:00:00 in 2026\nGET /index.html\n", format.Text},
		{"0001-x.patch", "From " + strings.Repeat("a1", 20) +
			" Mon Sep 17 00:00:00 2001\nFrom: a\nDate: b\nSubject: [PATCH] c\n\n", format.Text},
		{"series", "From " + strings.Repeat("a1", 20) +
			" Mon Sep 17 00:00:00 2001\nFrom: a\nDate: b\nSubject: [PATCH] c\n\n", format.Text},

		{"n", notebook, format.Notebook},
		{"n.json", `{"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": []}`, format.Notebook},
		{"n", `{"metadata":{"name":""},"nbformat":3,"worksheets":[{"cells":[]}]}`, format.Notebook},
		{"n", `{"cells":[{"cell_type":"code","source":"` + strings.Repeat("x", 9000), format.Notebook},
		{"n.ipynb", `{"metadata": {"a": 1}, "x": 2`, format.Notebook},
		{"n.json", `{"text": "{\"cells\": [], \"nbformat\": 4}"}`, format.Text},
		{"n.json", `{"notebook": ` + notebook + `}`, format.Text},
		{"n.json", `{"cells": [{"row": 1}], "metadata": {}}`, format.Text},
		{"n.jsonl", notebook + "\n" + notebook, format.Text},
		{"n.data", notebook + "\n" + notebook, format.Text},
		{"n.json", `[` + notebook + `]`, format.Text},

		{"a.csv", "a,b\n1,2\n", format.Text},
		{"a.log", "\x1B[31mred\x1B[0m and one zero \x00 " + strings.Repeat("and text ", 30), format.Text},
		{"a", wide("Only text, in UTF-16."), format.Text},
		{"a", "caf\xE9 in Latin-1", format.Text},
	} {
		t.Run(fmt.Sprint(i, " ", c.name), func(t *testing.T) {
			form, reason := format.Recognise([]byte(c.content), int64(len(c.content)), c.name)
			require.Equal(t, c.want, form)
			require.Empty(t, reason)
		})
	}
}

func TestRecogniseNamesWhatIsLeftOut(t *testing.T) {
	zeros := strings.Repeat("\x00\x01\x02\x03", 40)
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1A\n":         "binary (image/png)",
		"\xFF\xD8\xFF\xE0":          "binary (image/jpeg)",
		"GIF89a":                    "binary (image/gif)",
		"ID3\x03":                   "binary (audio/mpeg)",
		"RIFF\x00\x00\x00\x00WAVE":  "binary (audio/wave)",
		"\x00\x00\x00\x18ftypmp42":  "binary (video/mp4)",
		"\x1A\x45\xDF\xA3":          "binary (video/webm)",
		"\x7FELF\x02":               "binary (ELF program)",
		"MZ\x90":                    "binary (Windows program)",
		"\x00asm\x01\x00\x00\x00":   "binary (application/wasm)",
		"7z\xBC\xAF\x27\x1C":        "a 7z archive, which is not supported: unpack it",
		"Rar!\x1A\x07\x01\x00":      "a RAR archive, which is not supported",
		"\x04\x22\x4D\x18":          "LZ4",
		"!BDN":                      "Outlook data file",
		"PARE":                      "encrypted",
		"":                          "binary (application/octet-stream)",
		"\x00\x00\x00text, and\x01": "binary (application/octet-stream)",
	} {
		form, reason := format.Recognise([]byte(content+zeros), 1<<20, "a.txt")
		require.Equal(t, format.Binary, form, "%q", content)
		require.Contains(t, reason, want)
	}
}

// TestRecogniseKeepsThisRepositoryAsText: source code and prose are text, whatever they quote.
func TestRecogniseKeepsThisRepositoryAsText(t *testing.T) {
	for _, pattern := range []string{"../../../*/*.go", "../../../*/*/*.go", "../../../*/*/*/*.go", "../../../*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, name := range []string{file, "unnamed"} {
				form, _ := format.Recognise(content, int64(len(content)), name)
				require.Equal(t, format.Text, form, file)
			}
		}
	}
}

func FuzzRecognise(f *testing.F) {
	for _, s := range []string{
		mailHeaders, mbox, notebook, "<!doctype html>", wide("<html>"), "<?xml", "{\"cells\":[{\"\\",
	} {
		f.Add([]byte(s), "a.html")
	}
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		form, reason := format.Recognise(head, int64(len(head)), name)
		require.NotEmpty(t, form)
		require.Equal(t, form == format.Binary, reason != "")
	})
}
