package mail_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/mail"
)

const corpus = "../../testdata/corpus/"

func convert(t *testing.T, c format.Converter, lines ...string) formattest.Document {
	t.Helper()
	doc, err := formattest.Convert(t.Context(), c, "m", []byte(strings.Join(lines, "\r\n")))
	require.NoError(t, err)
	return doc
}

// body returns the text without the head.
func body(doc formattest.Document) string {
	_, text, _ := strings.Cut(doc.Text, "\n\n")
	return text
}

func TestHeadersAreDecoded(t *testing.T) {
	doc := convert(t, mail.Convert,
		"From: =?ISO-8859-1?Q?Andr=E9?= <a@example.org>", "to: =?utf-8?B?w7xiZXI=?= =?utf-8?Q?all?= <b@example.org>,",
		"\tc@example.org",
		"Subject: =?GB2312?B?xOO6ww==?=", "Date: Mon, 5 Jan 2026 10:00:00 +0100", "X-Other: no", "", "Hello")
	require.Equal(t, "mail", doc.Kind)
	require.Equal(t, map[string]string{
		"From": "André <a@example.org>", "To": "überall <b@example.org>, c@example.org", "Subject": "你好",
		"Date": "Mon, 5 Jan 2026 10:00:00 +0100",
	}, doc.Meta)
	require.Equal(t, "Hello\n", body(doc))
}

func TestBodies(t *testing.T) {
	alternative := []string{
		"From: a@example.org", "Content-Type: multipart/alternative; boundary=\"b b\"", "", "preamble",
		"--b b", "Content-Type: text/plain; charset=utf-8", "", "PLAIN",
		"--b b", "Content-Type: text/html", "", "<h1>Rich</h1>", "--b b--", "epilogue",
	}
	replace := func(old, new string) []string {
		return strings.Split(strings.Replace(strings.Join(alternative, "\n"), old, new, 1), "\n")
	}
	for name, c := range map[string]struct {
		mail []string
		want string
	}{
		"plain": {[]string{"From: a", "", "one", "two"}, "one\ntwo\n"},
		"quoted-printable": {[]string{
			"From: a", "Content-Type: text/plain; charset=iso-8859-1",
			"Content-Transfer-Encoding: quoted-printable", "", "Gr=FC=", "n",
		}, "Grün\n"},
		"base64": {[]string{
			"From: a", "Content-Transfer-Encoding: BASE64", "", "SGVs", "bG8=", "", "___ footer of a list",
		}, "Hello\n"},
		"base64 under another label": {[]string{
			"From: a", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
			"VGhlIGtlZXBlciBsaWdodHMgdGhlIGxhbXAu",
		}, "The keeper lights the lamp.\n"},
		"base64 without a label": {[]string{
			"From: a", "Content-Transfer-Encoding: 7bit", "",
			"RGVyIFfDpHJ0ZXIgesO8bmRldCBkaWUgTGFtcGUgYW4sIHVuZCBkYXMgU2No",
			"aWZmIGZpbmRldCBkZW4gV2VnLg==",
		}, "Der Wärter zündet die Lampe an, und das Schiff findet den Weg.\n"},
		"base64 of lines in one line, before a footer": {[]string{
			"From: a", "", "b25lIGxpZ2h0Cgp0d28gbGlnaHRzIGFuZCBhIHJlZWYK", "___", "footer",
		}, "one light\n\ntwo lights and a reef\n"},
		"words that are like base64": {[]string{
			"From: a", "Content-Transfer-Encoding: quoted-printable", "", "Thankyou", "Regards1",
		}, "Thankyou\nRegards1\n"},
		"UTF-7": {[]string{
			"From: a", "Content-Type: text/plain; charset=UTF-7", "", "Gr+APw-n f+APw-r 1 +- 1, +2Dzf+w- +bogus",
		}, "Grün für 1 + 1, \U0001F3FB +bogus\n"},
		"base64 cut off": {[]string{"From: a", "Content-Transfer-Encoding: base64", "", "SGVsbG8"}, "Hello\n"},
		"no charset":     {[]string{"From: a", "", "Gr\xFCn"}, "Grün\n"},
		"a wrong charset": {
			[]string{"From: a", "Content-Type: text/plain; charset=iso-8859-1", "", "Grün"},
			"Grün\n",
		},
		"an unknown charset": {[]string{"From: a", "Content-Type: text/plain; charset=x-none", "", "Grün"}, "Grün\n"},
		"html alone": {[]string{
			"From: a", "Content-Type: text/html; charset=windows-1251", "",
			"<p>\xCF\xF0\xE8\xE2\xE5\xF2 <b>x</b></p>",
		}, "Привет x\n"},
		"text is preferred": {alternative, "PLAIN\n"},
		"an empty text":     {replace("PLAIN", " "), "# Rich\n"},
		"a text of nothing": {
			replace("<h1>Rich</h1>", "<p>"+strings.Repeat("Long ", 50)),
			strings.TrimSpace(strings.Repeat("Long ", 50)) + "\n",
		},
		"never closed": {alternative[:11], "# Rich\n"[:0] + "PLAIN\n"},
		"flowed": {[]string{
			"From: a", "Content-Type: text/plain; format=flowed", "", "one ", "two",
			"> three ", "> four", "-- ", "me",
		}, "one two\n> three four\n-- \nme\n"},
		"no headers of text": {
			[]string{"From: a", "This line is no header: really", "more"},
			"This line is no header: really\nmore\n",
		},
		"no boundary": {[]string{"From: a", "Content-Type: multipart/mixed", "", "text"}, "text\n"},
		"delivery status": {
			[]string{"From: a", "Content-Type: message/delivery-status", "", "Status: 5.1.1"},
			"Status: 5.1.1\n",
		},
		"parts in parts": {[]string{
			"From: a", "Content-Type: multipart/mixed; boundary=x", "", "--x",
			"Content-Type: multipart/alternative; boundary=y", "", "--y", "", "one", "--y--", "--x", "", "footer",
			"--x--",
		}, "one\n\nfooter\n"},
		"a line of a mailbox": {
			[]string{"From a@example.org Mon Jan  5 10:00:00 2026", "From: a", "", "text"},
			"text\n",
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, body(convert(t, mail.Convert, c.mail...))) })
	}
}

func TestAttachments(t *testing.T) {
	part := func(kind, disposition, content string) string {
		s := "--x\r\nContent-Type: " + kind + "\r\nContent-Transfer-Encoding: base64\r\n"
		if disposition != "" {
			s += "Content-Disposition: " + disposition + "\r\n"
		}
		return s + "\r\n" + base64.StdEncoding.EncodeToString([]byte(content))
	}
	doc := convert(t, mail.Convert, "From: a", "Date: Mon, 5 Jan 2026 10:00:00 +0000",
		"Content-Type: multipart/mixed; boundary=x", "", "--x", "", "See.",
		part("application/pdf", `attachment; filename="a.pdf"`, "1"),
		part("application/pdf", `attachment; filename="a.pdf"`, "2"),
		part("text/plain", `attachment; filename*=UTF-8''Gr%C3%BCn%20.txt`, "3"),
		part("application/x", `attachment; filename*0*=gb2312''%C4%E3; filename*1="x.bin"`, "4"),
		part("application/x", `attachment; filename="=?utf-8?Q?=C3=BC.csv?="`, "5"),
		part("application/x; name=../../etc/passwd", "", "6"),
		part("application/x", `attachment; filename=two words.doc`, "7"),
		part("image/png; name=logo.png", "inline", "8"),
		part("image/png", `attachment; filename=photo.png`, "9"),
		part("text/calendar", "", "10"),
		"--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nForwarded",
		part("application/pgp-signature", "", "11"),
		part("text/x-go", "attachment; filename=\"a\\\"b.go\"", "12"),
		"--x--")
	got := map[string]string{}
	for _, m := range doc.Members {
		require.NoError(t, m.Err)
		require.Equal(t, 2026, m.Modified.Year())
		got[m.Path] = string(m.Bytes)
	}
	require.Equal(t, map[string]string{
		"a.pdf": "1", "a (2).pdf": "2", "Grün .txt": "3", "你x.bin": "4", "ü.csv": "5", "passwd": "6",
		"two words.doc": "7", "photo.png": "9",
		"attachment.ics": "10", "attachment.eml": "Subject: inner\r\n\r\nForwarded", `a"b.go`: "12",
	}, got)
	require.Equal(t, map[string]string{
		"logo.png": "it is an image within the text", "attachment.asc": "it is a signature",
	}, doc.Skipped)
	require.True(t, strings.HasPrefix(body(doc), "See.\n\n[attached: a.pdf]\n[attached: a (2).pdf]\n"), doc.Text)
}

// TestFilesInUuencode: files within the text are attached; a damaged one stays, with a note.
func TestFilesInUuencode(t *testing.T) {
	doc := convert(t, mail.Convert, "From: a", "", "See this:", "begin 644 a b.txt", "#0V%T", "`", "end", "", "Bye",
		"begin 644 cut.txt", "#0V%T")
	require.Equal(t, "See this:\n\nBye\nbegin 644 cut.txt\n#0V%T\n\n[attached: a b.txt]\n", body(doc))
	require.Equal(t, "Cat", string(doc.Members[0].Bytes))
	require.Equal(t, []string{"a file in uuencode within the text is damaged or cut off"}, doc.Notes)
	doc = convert(t, mail.Convert, "From: a", "Content-Type: application/x; name=b.bin",
		"Content-Transfer-Encoding: x-uuencode", "", "begin 600 b.bin",
		"M2&5L;&\\L('=O<FQD(2!4:&ES(&ES(&$@;&]N9V5R(&QI;F4@;V8@=&5X=\"P@", ")9F]R('1H92!U", " ", "end")
	require.Equal(t, "Hello, world! This is a longer line of text, for the u", string(doc.Members[0].Bytes))
	doc = convert(t, mail.Convert, "From: a", "", "=ybegin line=128 size=3 name=a.bin", "*+,")
	require.Equal(t, []string{"a file within the text is in yEnc, BinHex or base64, and was not decoded"}, doc.Notes)
	doc = convert(t, mail.Convert, "From: a", "", strings.TrimRight(base64.StdEncoding.EncodeToString(
		[]byte(strings.Repeat("für alle, ", 400))), "="))
	require.Equal(t, strings.Repeat("für alle, ", 400)+"\n", body(doc))
	doc = convert(t, mail.Convert, "From: a", "", "begin 644 of something", "that is no file", "end")
	require.Empty(t, doc.Members)
}

func TestSignedAndEncrypted(t *testing.T) {
	doc := convert(t, mail.Convert, "From: a",
		`Content-Type: multipart/signed; boundary=x; protocol="application/pgp-signature"`, "",
		"--x", "", "Hello", "--x", "Content-Type: application/pgp-signature", "", "-----BEGIN", "--x--")
	require.Equal(t, "Hello\n", body(doc))
	require.Equal(t, []string{"the message is signed; the signature is not checked"}, doc.Notes)
	doc = convert(t, mail.Convert, "From: a", "Content-Type: multipart/encrypted; boundary=x", "",
		"--x", "Content-Type: application/pgp-encrypted", "", "Version: 1", "--x",
		"Content-Type: application/octet-stream; name=encrypted.asc", "", "-----BEGIN", "--x--")
	require.Equal(t, map[string]string{"encrypted.asc": "it is encrypted with PGP"}, doc.Skipped)
	require.Equal(t, []string{"the message is encrypted with PGP"}, doc.Notes)
	doc = convert(t, mail.Convert, "From: a",
		"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m",
		"Content-Transfer-Encoding: base64", "", "AAAA")
	require.Equal(t, map[string]string{"smime.p7m": "it is encrypted with S/MIME"}, doc.Skipped)
}

func TestMailbox(t *testing.T) {
	doc := convert(t, mail.ConvertMbox,
		"From a@example.org Mon Jan  5 10:00:00 2026", "From: a@example.org", "Subject: =?utf-8?Q?F=C3=BCr_alle?=", "",
		"one", ">From here", ">>From there", "From now on", "",
		"From b@example.org Mon Jan  5 11:00:00 2026", "From: b@example.org",
		"Content-Type: multipart/mixed; boundary=x", "", "--x", "", "two", "--x",
		"Content-Type: application/pdf; name=a.pdf", "", "%PDF", "", "From - Mon Jan  5 12:00:00 2026",
		"Subject: three", "", "")
	require.Equal(t, "mbox", doc.Kind)
	require.Len(t, doc.Parts, 3)
	require.Equal(t, format.Part{Kind: format.Message, Number: 1, Name: "Für alle"}, doc.Parts[0].Part)
	require.Contains(t, doc.Parts[0].Text,
		"From: a@example.org\nSubject: Für alle\n\none\nFrom here\n>From there\nFrom now on\n")
	require.Contains(t, doc.Parts[1].Text, "\n\ntwo\n\n[attached: 2/a.pdf]\n")
	require.Equal(t, "three", doc.Parts[2].Name)
	require.Equal(t, "2/a.pdf", doc.Members[0].Path)
	require.Equal(t, "%PDF\r\n", string(doc.Members[0].Bytes))
}

func TestMailboxesOfAnySize(t *testing.T) {
	one := "From a@example.org Mon Jan  5 10:00:00 2026\nSubject: x\n\n" + strings.Repeat("w", 200_000) + "\nend\n\n"
	doc := convert(t, mail.ConvertMbox, strings.Repeat(one, 30))
	require.Len(t, doc.Parts, 30)
	for _, p := range doc.Parts {
		require.Contains(t, p.Text, strings.Repeat("w", 200_000)+"\nend\n")
	}
}

// TestNestedParts: endlessly nested parts lose only the deepest ones and do not overflow the stack.
func TestNestedParts(t *testing.T) {
	var b strings.Builder
	b.WriteString("From: a\nContent-Type: multipart/mixed; boundary=b0\n\n")
	for range 200 {
		b.WriteString("--b0\nContent-Type: multipart/mixed; boundary=b0\n\n")
	}
	doc := convert(t, mail.Convert, b.String()+"text")
	require.LessOrEqual(t, len(doc.Notes), 10)
}

// TestHeadersOfManyLines: a field folded half a million times takes linear time.
func TestHeadersOfManyLines(t *testing.T) {
	doc := convert(t, mail.Convert, "From: a", "Subject: x"+strings.Repeat("\n y", 500_000), "", "text")
	require.True(t, strings.HasPrefix(doc.Meta["Subject"], "x y y y"))
}

// TestMailsOfOtherTools compares mails that Python wrote with Python's own reading of them.
func TestMailsOfOtherTools(t *testing.T) {
	files, err := filepath.Glob(corpus + "*.eml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, corpus+"box.mbox") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := os.ReadFile("../../testdata/expected/" + filepath.Base(file) + ".txt")
			require.NoError(t, err)
			c := mail.Convert
			if filepath.Ext(file) == ".mbox" {
				c = mail.ConvertMbox
			}
			doc, err := formattest.Convert(t.Context(), c, file, data)
			require.NoError(t, err)
			text := strings.Join(strings.Fields(strings.ReplaceAll(doc.Text, "|", " ")), " ")
			for line := range strings.Lines(string(want)) {
				line = strings.Join(strings.Fields(line), " ")
				if name, ok := strings.CutPrefix(line, "ATTACHMENT "); ok {
					require.True(t, strings.Contains(text, name+"]") || strings.Contains(name, "/"), name)
					continue
				}
				require.Contains(t, strings.ReplaceAll(text, ">From", "From"),
					strings.ReplaceAll(line, ">From", "From"))
			}
		})
	}
}

func FuzzMail(f *testing.F) {
	f.Add([]byte("From: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x\nContent-Type: message/rfc822\n\n--x--"))
	f.Add([]byte("From a@b Mon Jan  5 10:00:00 2026\nSubject: =?utf-8?Q?x?=\nContent-Transfer-Encoding: base64\n\nSGk=\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []format.Converter{mail.Convert, mail.ConvertMbox} {
			_, _ = formattest.Convert(t.Context(), c, "a", data)
		}
	})
}
