package mail_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/binary"
	"math/big"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/smallstep/pkcs7"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/mail"
)

// TestLineEndsOfAnyKind: any mix of LF and CRLF gives the same parts.
func TestLineEndsOfAnyKind(t *testing.T) {
	lines := []string{
		"From: a@example.org", "Content-Type: multipart/mixed; boundary=b1", "", "--b1",
		"Content-Type: multipart/alternative; boundary=b12", "",
		"--b12", "", "body", "--b12 ", "Content-Type: text/html", "", "<p>body</p>", "--b12--", "--b1",
		"Content-Disposition: attachment; filename=a.csv", "", "a,b", "--b1x", "--b1",
		"Content-Disposition: attachment; filename=b.txt", "", "--b", "--b1--", "",
	}
	for seed := range uint64(300) {
		var b strings.Builder
		for i, line := range lines {
			b.WriteString(line)
			if state := (seed*2654435761 + uint64(i)*40503) >> 7; i == len(lines)-1 {
				break
			} else if state&1 == 0 || seed == 0 {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
		doc, err := formattest.Convert(t.Context(), mail.Convert, "m", []byte(b.String()))
		require.NoError(t, err)
		require.Empty(t, doc.Notes, "%q", b.String())
		require.Equal(t, "body\n\n[attached: a.csv]\n[attached: b.txt]\n", body(doc), "%q", b.String())
		require.Len(t, doc.Members, 2)
		require.Equal(t, "a,b\n--b1x", strings.ReplaceAll(string(doc.Members[0].Bytes), "\r\n", "\n"),
			"what only begins like a boundary is text")
		require.Equal(t, "--b", string(doc.Members[1].Bytes))
	}
}

func TestEncodedWords(t *testing.T) {
	for in, want := range map[string]string{
		"=?gb2312?B?u+HS6bw=?= =?gb2312?B?zdKq?=":      "会议纪要", // a character is split between two words
		"=?utf-8?Q?Pr=C3?=\r\n =?UTF-8?Q?=BCfung?=":    "Prüfung",
		"=?utf-8?B?w6lsYW4?=":                          "élan", // base64 without padding
		"=?utf-8?B?w6k=?= =?iso-8859-1?Q?=E9_x?= end":  "éé x end",
		"a =?utf-8?q?b?= c =?utf-8?q?d?=":              "a b c d",
		"=?utf-8*en?Q?language?=":                      "language",
		"=?nonsense?=":                                 "=?nonsense?=",
		"=?utf-8?B?!!!?=":                              "=?utf-8?B?!!!?=",
		"Re: =?utf-8?Q?a=5Fb_c?= =?utf-8?Q?d?= (x)":    "Re: a_b cd (x)",
		"=?x-unknown-charset?Q?still_read?=":           "still read",
		"=?ISO-2022-JP?B?GyRCJDMkcyRLJEEkTxsoQg==?= 1": "こんにちは 1",
	} {
		doc := convert(t, mail.Convert, "From: a", "Subject: "+in, "", "x")
		require.Equal(t, want, doc.Meta["Subject"], in)
	}
	doc := convert(t, mail.Convert, "From: a", "Content-Type: multipart/mixed; boundary=b", "", "--b",
		`Content-Disposition: attachment; filename*0="=?UTF-8?Q?Angeb=C3=B6?="; filename*1="_x.txt"`, "", "x", "--b--")
	require.Equal(t, "Angebö_x.txt", doc.Members[0].Path)
}

func TestTextThatSaysItIsBase64(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, this is no base64.\r\nReally": "Hello, this is no base64.\nReally\n",
		"Dear\r\nSir or Madam,":               "Dear\nSir or Madam,\n",
		"SGVsbG8=\r\n\r\n_____\r\na list":     "Hello\n", "SGVs\r\nbG8h\r\n\r\n-- \r\na footer, long": "Hello!",
		"  SGVsbG8=": "Hello\n",
		"R3LDvMOfZSBhbiBhbGxlLCBiaXMgYmFsZAo=\r\n____\r\na list": "Grüße an alle, bis bald\n",
		strings.Repeat("SGVsbG8h", 6) + "\r\n____\r\na list":     strings.Repeat("Hello!", 6) + "\n",
	} {
		doc := convert(t, mail.Convert, "From: a", "Content-Transfer-Encoding: base64", "", text)
		require.True(t, strings.HasPrefix(body(doc), want), "%q: %q", text, body(doc))
		if strings.Contains(text, "__") || strings.Contains(text, "--") {
			require.Equal(t, []string{"data after the end of a base64 part was left out"}, doc.Notes, text)
		} else {
			require.Empty(t, doc.Notes, text)
		}
	}
}

// TestAPageThatSaysMore: numbers that only the HTML version has belong to the message.
// TestOneLineOfBase64: without a label, only what is unmistakable is decoded; what may be base64 has a note.
func TestOneLineOfBase64(t *testing.T) {
	const note = "a part is in base64, although its header does not say so, and was decoded"
	for charset, of := range map[string]struct{ line, want string }{
		"iso-8859-1":  {"RGVyIFfkcnRlciB6/G5kZXQgZGllIExhbXBlIGFuLg0K", "Der Wärter zündet die Lampe an."},
		"koi8-r":      {"883P1NLJ1MXM2CDawdbJx8HF1CDMwc3Q1S4K", "Смотритель зажигает лампу."},
		"iso-2022-jp": {"GyRCRXRCZjxpJCwlaSVzJVckSzJQJHIkSCRiJDkbKEI=", "灯台守がランプに火をともす"},
		"shift_jis":   {"k5SR5I7ngqqDiYOTg3aCyYnOgvCCxoLggrc=", "灯台守がランプに火をともす"},
		"gb18030":     {"v7TK2MjLtePBwcHLtcajrLSs1dK1vcHLwrehow==", "看守人点亮了灯，船找到了路。"},
		"":            {"RGVyIFfkcnRlciB6/G5kZXQgZGllIExhbXBlIGFuLg0K", "Der Wärter zündet die Lampe an."},
	} {
		doc := convert(t, mail.Convert, "From: a", "Content-Type: text/plain; charset="+charset, "", of.line)
		require.Equal(t, of.want+"\n", body(doc), charset)
		require.Contains(t, doc.Notes, note, charset)
	}
	doc := convert(t, mail.Convert, "From: a", "Content-Type: application/pdf; name=a.pdf", "",
		base64.StdEncoding.EncodeToString([]byte("%PDF-1.4\n"+strings.Repeat("\xFF\x00", 900))))
	require.Equal(t, "%PDF-", string(doc.Members[0].Bytes[:5]))
	require.Equal(t, []string{note}, doc.Notes)

	for _, charset := range []string{"utf-8", "iso-8859-1", "koi8-r", "shift_jis", "gb18030", "x-none"} {
		random := mathrand.New(mathrand.NewPCG(1, 2))
		for n := range 300 {
			data := make([]byte, 3+3*(n%20))
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			line := base64.StdEncoding.EncodeToString(data)
			doc := convert(t, mail.Convert, "From: a", "Content-Type: text/plain; charset="+charset, "", line)
			require.Equal(t, line+"\n", body(doc), charset)
			if strings.ContainsAny(line, "0123456789") && len(line) >= 60 {
				require.Equal(t, []string{"a part is one line that may be in base64, although its header does not say " +
					"so, and was not decoded"}, doc.Notes)
			} else {
				require.Empty(t, doc.Notes, line)
			}
		}
	}
}

func TestAPageThatSaysMore(t *testing.T) {
	for page, want := range map[string]string{
		"<p>Hello</p><table><tr><td>Oil<td>12<tr><td>Wick<td>34</table>": "| Wick | 34 |",
		"<p>Hello all, <a href=http://x.org/1234>see</a></p>":            "Hello all, in plain words",
	} {
		doc := convert(t, mail.Convert, "From: a", "Content-Type: multipart/alternative; boundary=b", "", "--b",
			"Content-Type: text/plain", "",
			"Hello all, in plain words", "--b", "Content-Type: text/html", "", page, "--b--")
		require.Contains(t, body(doc), want)
	}
}

func TestAMarkBeforeTheFirstHeader(t *testing.T) {
	require.Equal(t, "a@example.org",
		convert(t, mail.Convert, "\ufeffFrom: a@example.org", "Subject: s", "", "x").Meta["From"])
}

// TestSignedInOnePiece: a message inside an S/MIME signature is read, because it is not encrypted.
func TestSignedInOnePiece(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a"}, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	inner := "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\napproved\r\n--b\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n1,2\r\n--b--\r\n"
	signed, err := pkcs7.NewSignedData([]byte(inner))
	require.NoError(t, err)
	require.NoError(t, signed.AddSigner(cert, key, pkcs7.SignerInfoConfig{}))
	packet, err := signed.Finish()
	require.NoError(t, err)
	for _, kind := range []string{
		"application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", "application/x-pkcs7-mime; name=smime.p7m",
	} {
		doc := convert(t, mail.Convert, "From: a", "Content-Type: "+kind, "Content-Transfer-Encoding: base64", "",
			base64.StdEncoding.EncodeToString(packet))
		require.Equal(t, "approved\n\n[attached: a.csv]\n", body(doc))
		require.Equal(t, []string{"the message is signed; the signature is not checked"}, doc.Notes)
		require.Equal(t, "1,2", string(doc.Members[0].Bytes))
	}
}

func TestPacketsOfOutlook(t *testing.T) {
	packet := binary.LittleEndian.AppendUint32(nil, 0x223E9F78)
	packet = append(packet, 1, 0)
	attribute := func(level byte, number uint32, value string) {
		packet = binary.LittleEndian.AppendUint32(append(packet, level), number)
		packet = binary.LittleEndian.AppendUint32(packet, uint32(len(value)))
		packet = append(append(packet, value...), 0, 0)
	}
	attribute(1, 0x00089006, "\x00\x00\x01\x00")
	attribute(1, 0x00069007, "\xE3\x04\x00\x00\x00\x00\x00\x00") // code page 1251
	attribute(1, 0x0006800C, "\xCF\xF0\xE8\xE2\xE5\xF2\x00")
	for name, data := range map[string]string{"A.TXT\x00": "one", "\xC1.CSV\x00": "two"} {
		attribute(2, 0x00069002, "\x01\x00")
		attribute(2, 0x00018010, name)
		attribute(2, 0x0006800F, data)
	}
	doc, err := formattest.Convert(t.Context(), mail.ConvertTNEF, "winmail.dat", packet)
	require.NoError(t, err)
	require.Equal(t, "Привет\n", doc.Text)
	got := map[string]string{}
	for _, m := range doc.Members {
		got[m.Path] = string(m.Bytes)
	}
	require.Equal(t, map[string]string{"A.TXT": "one", "Б.CSV": "two"}, got)
	doc, err = formattest.Convert(t.Context(), mail.ConvertTNEF, "winmail.dat", packet[:len(packet)-4])
	require.ErrorContains(t, err, "cut off")
	require.Equal(t, "Привет\n", doc.Text)
	require.Len(t, doc.Members, 1)
}

func FuzzTNEF(f *testing.F) {
	f.Add("\x78\x9f\x3e\x22\x01\x00\x01\x0c\x80\x06\x00\x02\x00\x00\x00a\x00\x00\x00")
	f.Fuzz(func(t *testing.T, packet string) {
		_, _ = formattest.Convert(t.Context(), mail.ConvertTNEF, "winmail.dat", []byte(packet))
	})
}

// TestADamagedPartCostsItself: the parts after it are read, and a note reports the loss.
func TestADamagedPartCostsItself(t *testing.T) {
	const head = "From: a\nContent-Type: multipart/mixed; boundary=x\n\n"
	for text, want := range map[string]string{
		"--x\n\none\n--x\nContent-Type: text/plain\nno header\n\ntwo\n\n--x\n\nthree\n--x--\n": "a part of the message is damaged, and was left out",
		"--x\n\none\n--x\n\nthree\n":   "the message ends without its closing boundary line: it may be cut off",
		"--y\n\none\n--y\n\nthree\n--": "the parts of the message cannot be told apart: their boundary lines are missing",
	} {
		doc, err := formattest.Convert(t.Context(), mail.Convert, "m", []byte(head+text))
		require.NoError(t, err)
		require.Equal(t, []string{want}, doc.Notes)
		if strings.HasPrefix(text, "--x") {
			require.Equal(t, "one\n\nthree\n", body(doc))
		}
	}
}

// TestGuessedEncodingsOfMails: bytes beyond ASCII without a charset are guessed, in headers as in the text, and a note
// says so; a code page of DOS may be named as such.
func TestGuessedEncodingsOfMails(t *testing.T) {
	const text = "Gr\x81\xe1e an Herrn M\x81ller\r\n"
	for header, want := range map[string]string{
		"Subject: f\x81r Sie":                       "Subject: encoding guessed: cp850; encoding guessed: cp850",
		"Content-Type: text/plain; charset=ibm850":  "",
		"Content-Type: text/plain; charset=CP-850":  "",
		"Content-Type: text/plain; charset=unknown": "encoding guessed: cp850",
	} {
		doc, err := formattest.Convert(t.Context(), mail.Convert, "a.eml",
			[]byte("From: a@example.org\r\n"+header+"\r\n\r\n"+text))
		require.NoError(t, err)
		require.Contains(t, doc.Text, "Grüße an Herrn Müller\n", header)
		require.Equal(t, want, strings.Join(doc.Notes, "; "), header)
	}
}

// TestAnAttachmentElsewhere: the text of a message with an external attachment names the address of the file.
func TestAnAttachmentElsewhere(t *testing.T) {
	for parameters, place := range map[string]string{
		"access-type=URL; url=\"https://files.example.org/q/\r\n report.pdf\"":           "https://files.example.org/q/report.pdf",
		"access-type=anon-ftp; site=ftp.example.org; directory=pub; name=\"report.pdf\"": "ftp.example.org/pub/report.pdf",
	} {
		doc, err := formattest.Convert(t.Context(), mail.Convert, "a.eml",
			[]byte("From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n--b1\r\n\r\nSee below.\r\n--b1\r\n"+
				"Content-Type: message/external-body; "+parameters+"\r\n\r\n"+
				"Content-Type: application/pdf; name=report.pdf\r\nContent-ID: <1@example.org>\r\n\r\n\r\n--b1--\r\n"))
		require.NoError(t, err)
		require.Contains(t, doc.Text, "See below.\n\n[attached elsewhere: report.pdf, at "+place+"]\n")
		require.Equal(t, []string{"an attachment is not in the message, which only names its location"}, doc.Notes)
		require.Empty(t, doc.Members)
	}
}
