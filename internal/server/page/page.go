// Package page is the page that a browser shows: built from src by build.mjs, and part of the binary.
package page

import (
	"bytes"
	"embed"
	"html"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed dist
var dist embed.FS

// head is what every page begins with.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rlm</title>
<link rel="icon" href="data:,">
`

// whole is the page. Its scripts and styles are files of this server.
const whole = head + `<meta name="csp-nonce" content="NONCE">
<link rel="stylesheet" href="/assets/style.css">
<link rel="modulepreload" href="/assets/chunk.js">
<link rel="modulepreload" href="/assets/editor.js">
</head>
<body><div id="app"></div><script type="module" src="/assets/app.js"></script></body>
</html>
`

// HTML is the page. The nonce is what its Content-Security-Policy allows styles by that the editor adds.
func HTML(nonce string) []byte {
	return bytes.Replace([]byte(whole), []byte("NONCE"), []byte(nonce), 1)
}

// refused is what a browser shows that is not let in: it may load nothing.
const refused = head + `<meta name="color-scheme" content="light dark">
</head>
<body><main><h1>rlm</h1><p>MESSAGE.</p></main></body>
</html>
`

// Refused is a page that says why there is no other.
func Refused(message string) []byte {
	return []byte(strings.Replace(refused, "MESSAGE", html.EscapeString(strings.ToUpper(message[:1])+message[1:]), 1))
}

// Assets serves what the page loads.
func Assets() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a valid name
	}
	return http.StripPrefix("/assets/", http.FileServerFS(files))
}
