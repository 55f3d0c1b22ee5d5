package documents

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// mailOf returns a mail with attachments: name, bytes, name, bytes.
func mailOf(attachments ...string) string {
	var b strings.Builder
	b.WriteString("From: keeper@e.org\r\nSubject: the reports\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"=\"\r\n\r\n" +
		"--=\r\nContent-Type: text/plain\r\n\r\nHere they are.\r\n")
	for i := 0; i < len(attachments); i += 2 {
		fmt.Fprintf(&b, "--=\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"%s\"\r\nContent-Transfer-Encoding: base64\r\n\r\n",
			attachments[i])
		data := base64.StdEncoding.EncodeToString([]byte(attachments[i+1]))
		for ; len(data) > 76; data = data[76:] {
			b.WriteString(data[:76] + "\r\n")
		}
		b.WriteString(data + "\r\n")
	}
	b.WriteString("--=--\r\n")
	return b.String()
}

// A mail backup yields the documents that were sent, with their parts; each name is the complete path.
func TestOfficeInsideMailInsideATar(t *testing.T) {
	read := func(name string) string { return string(corpusFile(t, name)) }
	inner := mailOf("costs.xlsx", read("costs.xlsx"), "letter.odt", read("letter.odt"))
	mail := mailOf("report.docx", read("report.docx"), "all.zip", string(
		packed(t, "deck/slides.pptx", read("slides.pptx"), "inner.eml", inner)), "article.pdf", read("article.pdf"))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	sent := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	require.NoError(t, w.WriteHeader(
		&tar.Header{Name: "mail/one.eml", Mode: 0o600, Size: int64(len(mail)), ModTime: sent}))
	_, err := io.WriteString(w, mail)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())

	p := newPool(t, Options{})
	p.recognise = format.Recognise
	var lines []string
	alone := map[string]string{}
	for _, name := range []string{"report.docx", "slides.pptx", "costs.xlsx", "letter.odt", "article.pdf"} {
		alone[name] = convertAll(t, p, name, corpusFile(t, name))[0].text
	}
	for _, d := range convertAll(t, p, "backup.tgz", b.Bytes()) {
		require.Empty(t, d.Why, d.Name)
		lines = append(lines, fmt.Sprintf("%s %s %d", d.Name, d.Kind, d.Pages))
		base := d.Name[strings.LastIndex(d.Name, "/")+1:]
		if want, ok := alone[base]; ok {
			require.Equal(t, want, d.text, d.Name)
		}
		if base == "one.eml" {
			require.Equal(t, sent, d.Modified)
		}
		for _, part := range d.Parts {
			require.LessOrEqual(t, part.Offset+part.Size, int64(len(d.text)), d.Name)
		}
	}
	const mailbox = "backup.tgz!/mail/one.eml"
	require.Equal(t, []string{
		mailbox + " mail 0", mailbox + "!/report.docx docx 0",
		mailbox + "!/all.zip!/deck/slides.pptx pptx 5", mailbox + "!/all.zip!/inner.eml mail 0",
		mailbox + "!/all.zip!/inner.eml!/costs.xlsx xlsx 0", mailbox + "!/all.zip!/inner.eml!/letter.odt odt 0",
		mailbox + "!/article.pdf pdf 2",
	}, lines)
}

// A mailbox with too many attachments keeps the text of all messages.
func TestTooManyAttachmentsLeaveTheTextWhole(t *testing.T) {
	const messages, each = 30, 500
	var b strings.Builder
	for i := range messages {
		var attachments []string
		for j := range each {
			attachments = append(attachments, fmt.Sprintf("%s%d-%d.txt", strings.Repeat("n", 450), i, j), "x")
		}
		b.WriteString("From keeper@e.org Thu Jan  1 00:00:00 2024\n" +
			strings.ReplaceAll(mailOf(attachments...), "\r\n", "\n") + "\n")
	}
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	all := convertAll(t, p, "box.mbox", []byte(b.String()))
	require.Empty(t, all[0].Why)
	require.Equal(t, messages, strings.Count(all[0].text, "Here they are."))
	require.Len(t, all[0].Notes, 1)
	require.Contains(t, all[0].Notes[0],
		"members are left out: the names of its members are longer than 6 MiB in total; unpack or split it")
	require.Greater(t, len(all), messages*each/2)
	require.Less(t, len(all), messages*each)
}

// TestArchivesBehindPrograms: the end of the file reveals an archive after a long script or program.
func TestArchivesBehindPrograms(t *testing.T) {
	script := "#!/bin/sh\n" + strings.Repeat("# how to unpack what stands below\n", 400) + "exit\n"
	program := "MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00\xFF\x15\x8B", 5000)
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	for name, head := range map[string]string{
		"install.run": script, "setup.exe": program, "small.exe": program[:1000],
	} {
		all := convertAll(t, p, name, append([]byte(head), packed(t, "a.txt", "the tide is high")...))
		require.Len(t, all, 1, name)
		require.Equal(t, name+"!/a.txt the tide is high", all[0].Name+" "+all[0].text)
		all = convertAll(t, p, "outer.zip", packed(t, name, head+string(packed(t, "a.txt", "the tide is high"))))
		require.Equal(t, "outer.zip!/"+name+"!/a.txt", all[0].Name)
	}
	const zipEnd = "PK\x05\x06"
	zip := string(packed(t, "a.txt", "the tide is high"))
	for what, end := range map[string]string{
		"comment":   zip[:len(zip)-2] + "\x00\xF0" + strings.Repeat("c", 0xF000),
		"signature": zip + strings.Repeat("\x30\x82\x00\x01", 2000),
	} {
		require.Equal(t, "setup.exe!/a.txt", convertAll(t, p, "setup.exe", []byte(program+end))[0].Name, what)
	}
	for what, end := range map[string]string{
		"no zip": "", "the sign": zipEnd + program, "the end": zip[len(zip)-22:], "cut": zip[len(zip)-22 : len(zip)-5],
	} {
		require.Equal(t, "binary (Windows program)", convertAll(t, p, "plain.exe", []byte(program+end))[0].Why, what)
	}
	require.Equal(t, script, convertAll(t, p, "plain.run", []byte(script))[0].text)
}

// TestLockedAndEmptyMembers: each is named with its own reason, and the others are read.
func TestLockedAndEmptyMembers(t *testing.T) {
	data := packed(t, "locked.txt", "no one may read this", "empty.txt", "", "empty.pdf", "", "open.txt", "but this")
	for _, header := range []struct {
		name string
		at   int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		data[bytes.Index(data, []byte(header.name))+header.at] |= 1
	}
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	var lines []string
	for _, d := range convertAll(t, p, "a.zip", data) {
		lines = append(lines, strings.TrimPrefix(d.Name, "a.zip!/")+": "+d.text+d.Why)
	}
	require.Equal(t, []string{
		"locked.txt: it is password-protected", "empty.txt: ", "empty.pdf: ", "open.txt: but this",
	}, lines)
}

// TestAPacketOfOutlookInAForwardedMail: the names of a packet's members are complete paths.
func TestAPacketOfOutlookInAForwardedMail(t *testing.T) {
	packet := "\x78\x9F\x3E\x22\x01\x00"
	for _, a := range [][2]string{
		{"\x02\x90\x06\x00", "\x01\x00"},
		{"\x10\x80\x01\x00", "costs.csv\x00"},
		{"\x0F\x80\x06\x00", "a,b\n1,2\n"},
	} {
		packet += "\x02" + a[0] + string([]byte{byte(len(a[1])), 0, 0, 0}) + a[1] + "\x00\x00"
	}
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	inner := mailOf("winmail.dat", packet)
	var names []string
	for _, d := range convertAll(t, p, "outer.eml", []byte(mailOf("forwarded.eml", inner))) {
		require.Empty(t, d.Why, d.Name)
		names = append(names, d.Name)
	}
	const forwarded = "outer.eml!/forwarded.eml"
	require.Equal(t, []string{"outer.eml", forwarded, forwarded + "!/winmail.dat!/costs.csv"}, names)
}

// TestWhatANameWasGuessedFrom: a document whose name has a guessed encoding has a note on that, and the archive
// itself yields no document for it.
func TestWhatANameWasGuessedFrom(t *testing.T) {
	data := packed(t, "Stra\xDFe \xFCber.txt", "the tide is high", "plain.txt", "low")
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	all := convertAll(t, p, "old.zip", data)
	require.Len(t, all, 2)
	for _, d := range all {
		if d.Name == "old.zip!/plain.txt" {
			require.Empty(t, d.Notes)
			continue
		}
		require.Equal(t, "old.zip!/Straße über.txt", d.Name)
		require.Equal(t, []string{"its name: encoding guessed: windows-1252"}, d.Notes)
	}
}
