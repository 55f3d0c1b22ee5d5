package fetch_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/runner/internal/fetch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// got is a page and its text.
type got struct {
	text string
	page *fetch.Page
}

func fetched(t *testing.T, c *fetch.Client, address string) (got, error) {
	t.Helper()
	defer c.Close()
	p, err := c.Fetch(t.Context(), address)
	if err != nil {
		return got{}, err
	}
	text, err := io.ReadAll(p.Body)
	require.NoError(t, p.Body.Close())
	return got{string(text), p}, err
}

// client returns a client that may fetch from the servers of a test.
func client() *fetch.Client {
	return &fetch.Client{Agent: "test", Private: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
}

func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

func write(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
	}
}

// TestTheCharsetOfTheServerCounts: a text whose encoding the server names is decoded, and gets a byte order mark
// for later readers. If the name must be wrong, the text is unchanged.
func TestTheCharsetOfTheServerCounts(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want, encoding string }{
		"Cyrillic": {
			"text/html; charset=windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "\uFEFFПривет", "windows-1251",
		},
		"in capitals and quotes": {
			`text/html; charset="Windows-1251"`, "\xcf\xf0\xe8\xe2\xe5\xf2", "\uFEFFПривет", "windows-1251",
		},
		"Japanese": {
			"text/plain; charset=Shift_JIS", "\x93\xfa\x96\x7b", "\uFEFF日本", "shift_jis",
		},
		"UTF-16 without a mark":         {"text/plain; charset=utf-16le", "h\x00i\x00", "\uFEFFhi", "utf-16le"},
		"UTF-8 is seen":                 {"text/html; charset=utf-8", "Grüße", "Grüße", ""},
		"UTF-8 that is called Latin":    {"text/html; charset=iso-8859-1", "Grüße", "Grüße", ""},
		"a mark counts more":            {"text/html; charset=windows-1251", "\uFEFFGrüße", "\uFEFFGrüße", ""},
		"an encoding that nobody knows": {"text/html; charset=klingon", "caf\xe9", "caf\xe9", ""},
		"a binary that is called a text": {
			"text/plain; charset=windows-1251",
			"%PDF-1.7\x00\x01\x02\x00\xff\xfe\x00\x00\x00", "%PDF-1.7\x00\x01\x02\x00\xff\xfe\x00\x00\x00", "",
		},
		"no text":                {"application/pdf; charset=windows-1251", "%PDF-\xe9", "%PDF-\xe9", ""},
		"a type that is damaged": {"text/html; charset", "caf\xe9", "caf\xe9", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := fetched(t, client(), serve(t, write(c.kind, c.body)))
			require.NoError(t, err)
			require.Equal(t, c.want, g.text)
			require.Equal(t, c.encoding, g.page.Encoding)
		})
	}
}

// TestNames: the name of a document distinguishes formats that start alike. A URL that names a program on the
// server does not reveal the format of its output.
func TestNames(t *testing.T) {
	for _, c := range []struct{ path, kind, disposition, want string }{
		{"/data.csv", "text/csv", "", "data.csv"},
		{"/index.php?id=3", "text/html; charset=utf-8", "", "page.html"},
		{"/index.php", "application/octet-stream", "", ""},
		{"/example.py", "text/plain", "", "example.py"},
		{"/", "text/plain", "", ""},
		{"/get?id=3", "application/pdf", `attachment; filename="report.pdf"`, "report.pdf"},
		{"/get", "application/zip", `attachment; filename="..\\..\\a/b/x.zip"`, "x.zip"},
		{"/a%2Fb/mail.eml", "message/rfc822", "", "page.eml"},
	} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", c.disposition)
			write(c.kind, "x")(w, nil)
		})
		g, err := fetched(t, client(), address+c.path)
		require.NoError(t, err)
		require.Equal(t, c.want, g.page.Name, c.path)
	}
}

// TestWhatIsSent: requests identify only the program, even after redirects, and compressed responses are
// decompressed.
func TestWhatIsSent(t *testing.T) {
	var seen []http.Header
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		if r.URL.Path == "/a" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "me"})
			http.Redirect(w, r, "/b#part", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "packed")
		_ = z.Close()
	})
	g, err := fetched(t, client(), address+"/a#top")
	require.NoError(t, err)
	require.Equal(t, "packed", g.text)
	require.Equal(t, address+"/b", g.page.URL)
	require.WithinDuration(t, time.Now(), g.page.Time, time.Hour)
	require.Len(t, seen, 2)
	for _, h := range seen {
		require.Equal(t, "test", h.Get("User-Agent"))
		for name := range h {
			require.Contains(t, []string{"User-Agent", "Accept", "Accept-Encoding"}, name)
		}
	}
}

// TestWhatIsNoPage: a response that is not a page is an error with a reason, worded for people.
func TestWhatIsNoPage(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		limits fetch.Limits
		want   string
	}{
		"not there": {http.NotFound, fetch.Limits{}, "HTTP 404 Not Found"},
		"not allowed": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
		}, fetch.Limits{}, "HTTP 403 Forbidden"},
		"a strange status": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(799)
		}, fetch.Limits{}, "HTTP 799"},
		"a broken server": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
		}, fetch.Limits{}, "HTTP 500 Internal Server Error"},
		"a part": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(206)
		}, fetch.Limits{}, "HTTP 206 Partial Content"},
		"nothing new": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(304)
		}, fetch.Limits{}, "HTTP 304 Not Modified"},
		"a loop": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, fetch.Limits{}, "too many redirects: more than 10"},
		"nowhere": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(302)
		}, fetch.Limits{}, "HTTP 302 redirects without naming a target"},
		"another protocol": {
			http.RedirectHandler("ftp://example.com/x", http.StatusFound).ServeHTTP,
			fetch.Limits{},
			"ftp:// cannot be fetched",
		},
		"a file": {
			http.RedirectHandler("file:///etc/passwd", http.StatusFound).ServeHTTP,
			fetch.Limits{},
			"file:// cannot be fetched",
		},
		"a password": {
			http.RedirectHandler("http://me:hunter2@example.com/", http.StatusFound).ServeHTTP,
			fetch.Limits{},
			"contains a user name or password",
		},
		"a damaged address": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://[::1")
			w.WriteHeader(302)
		}, fetch.Limits{}, "damaged"},
		"packed otherwise": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write([]byte("x"))
		}, fetch.Limits{}, `encoded as "br"`},
		"large, as it says": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2000")
			_, _ = w.Write(make([]byte, 2000))
		}, fetch.Limits{Bytes: 1000}, "larger than 1 kB"},
		"endless": {endless, fetch.Limits{Bytes: 1 << 20}, "larger than 1 MB"},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 4<<20))
			_ = z.Close()
		}, fetch.Limits{Bytes: 1 << 20}, "larger than 1 MB"},
		"shorter than it says": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
				_ = conn.Close()
			}
		}, fetch.Limits{}, "broke off after 9 bytes: unexpected EOF"},
		"broken while it is packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xffno deflate"))
		}, fetch.Limits{}, "broke off after 0 bytes"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n")
				_ = conn.Close()
			}
		}, fetch.Limits{}, "malformed HTTP"},
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 5000 {
				w.Header().Add("X", fmt.Sprintf("%0100d", i))
			}
		}, fetch.Limits{}, "header"},
		"silence": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fetch.Limits{
			Silence: 50 * time.Millisecond,
		}, "sent nothing for 50ms"},
		"silence after the beginning": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("begin"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, fetch.Limits{Silence: 200 * time.Millisecond}, "sent nothing for 200ms"},
		"drop by drop": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("."))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}, fetch.Limits{Time: 200 * time.Millisecond}, "not arrived after 200ms"},
	} {
		t.Run(name, func(t *testing.T) {
			client := client()
			client.Limits = c.limits
			_, err := fetched(t, client, serve(t, c.handle)+"/loop")
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

// TestRedirects: ten redirects are followed, and an eleventh is an error.
func TestRedirects(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n := len(r.URL.Path); n > 1 {
			http.Redirect(w, r, r.URL.Path[:n-1], http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, "here")
	})
	g, err := fetched(t, client(), address+"/"+strings.Repeat("x", 10))
	require.NoError(t, err)
	require.Equal(t, "here", g.text)
	_, err = fetched(t, client(), address+"/"+strings.Repeat("x", 11))
	require.ErrorContains(t, err, "too many redirects: more than 10")
}

// TestWhatIsNoURL: bad URLs are refused before any request.
func TestWhatIsNoURL(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://example.com/":                             "ftp:// cannot be fetched",
		"javascript:alert(1)":                            "cannot be fetched",
		"http://":                                        "has no host",
		"http:///path":                                   "has no host",
		"https://:443/":                                  "has no host",
		"http://me@example.com/":                         "user name or password",
		"http://me:hunter2@example.com/":                 "user name or password",
		"http://me:hunter2@exam ple.com/":                "damaged",
		"http://me:hunter2%zz@example.com/":              "damaged",
		"http://[::1/":                                   "damaged",
		"http://example.com:port/":                       "damaged",
		"http://example.com/\n":                          "damaged",
		"http://example.com/" + strings.Repeat("x", 1e4): "more than servers accept",
	} {
		_, err := fetched(t, client(), address)
		require.ErrorContains(t, err, want, address)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestACancelledFetch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("begin"))
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	})
	c := client()
	defer c.Close()
	p, err := c.Fetch(ctx, address)
	if err == nil {
		_, err = io.ReadAll(p.Body)
		require.NoError(t, p.Body.Close())
	}
	require.ErrorIs(t, err, context.Canceled)
}
