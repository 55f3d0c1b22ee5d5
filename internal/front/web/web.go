// Package web contains the page that a browser shows: it is built from src by build.mjs, and embedded in the
// binary.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"html"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// head is the beginning of every page.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rlm</title>
<link rel="icon" href="data:,">
`

// whole is the page. Its scripts and styles are files of this server. The editor of cells is loaded only when a
// cell is written.
const whole = head + `<meta name="csp-nonce" content="NONCE">
<link rel="stylesheet" href="/assets/STYLE">
<link rel="modulepreload" href="/assets/CHUNK">
</head>
<body><div id="app"></div><script type="module" src="/assets/APP"></script></body>
</html>
`

// HTML returns the page. nonce is that of its Content-Security-Policy, and allows the styles that the editor adds.
func HTML(nonce string) []byte {
	files := strings.NewReplacer(
		"NONCE", nonce, "STYLE", hashed("style.css"), "CHUNK", hashed("chunk.js"), "APP", hashed("app.js"))
	return []byte(files.Replace(whole))
}

// hashed returns the full name of a file, which contains the hash of its content; "" if there is none.
func hashed(name string) string {
	ends := path.Ext(name)
	begins := strings.TrimSuffix(name, ends) + "-"
	files, err := dist.ReadDir("dist")
	if err != nil {
		panic(err) // unreachable: dist is embedded
	}
	for _, f := range files {
		if ends != "" && strings.HasPrefix(f.Name(), begins) && strings.HasSuffix(f.Name(), ends) {
			return f.Name()
		}
	}
	return ""
}

// refused is the page for a browser that is not let in. It loads nothing.
const refused = head + `<meta name="color-scheme" content="light dark">
</head>
<body><main><h1>rlm</h1><p>MESSAGE.</p></main></body>
</html>
`

// Refused returns a page with an error message.
func Refused(message string) []byte {
	return []byte(strings.Replace(refused, "MESSAGE", html.EscapeString(strings.ToUpper(message[:1])+message[1:]), 1))
}

// Assets serves the files of the page, compressed if the client accepts gzip. A file can also be requested without
// the hash in its name; browsers cache only names with a hash.
func Assets() http.Handler {
	var compressed sync.Map // by name; filled on first use
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		content, err := dist.ReadFile("dist/" + name)
		if err != nil {
			content, err = dist.ReadFile("dist/" + hashed(name))
		}
		if err != nil || r.URL.Path != "/assets/"+name {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(name, "-") {
			h.Set("Cache-Control", "private, max-age=31536000, immutable")
		}
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			small, _ := compressed.LoadOrStore(name, sync.OnceValue(func() []byte { return zipped(content) }))
			content = small.(func() []byte)()
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // fails only if the client is gone
	})
}

// takesGzip reports whether a client accepts gzip.
func takesGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name = strings.TrimSpace(name); name == "gzip" || name == "*" {
			q := strings.TrimSpace(quality)
			return q == "" || strings.Trim(strings.TrimPrefix(q, "q="), "0.") != ""
		}
	}
	return false
}

func zipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // writes to memory, which cannot fail
	_ = w.Close()
	return b.Bytes()
}
