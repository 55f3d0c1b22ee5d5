// Package page is the page that a browser shows: built from src by build.mjs, and part of the binary.
package page

import (
	"bytes"
	"embed"
	"io/fs"
	"net/http"
)

//go:embed dist
var dist embed.FS

// html is the page. Its scripts and styles are files of this server.
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="csp-nonce" content="NONCE">
<title>rlm</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/style.css">
<link rel="modulepreload" href="/assets/chunk.js">
<link rel="modulepreload" href="/assets/editor.js">
</head>
<body><div id="app"></div><script type="module" src="/assets/app.js"></script></body>
</html>
`

// HTML is the page. The nonce is what its Content-Security-Policy allows styles by that the editor adds.
func HTML(nonce string) []byte { return bytes.Replace([]byte(html), []byte("NONCE"), []byte(nonce), 1) }

// Assets serves what the page loads.
func Assets() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a valid name
	}
	return http.StripPrefix("/assets/", http.FileServerFS(files))
}
