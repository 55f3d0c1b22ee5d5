package api

import "net/http"

// attachment is a response that the browser saves as a file. If it breaks off, the download fails instead of
// looking complete.
type attachment struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/octet-stream") // never shown as a page of this server
		a.w.Header().Set("Content-Disposition", `attachment; filename="`+a.name+`"`)
	}
	return a.w.Write(p)
}

// end ends the file. An error is reported if nothing is written yet; otherwise the connection is aborted, so that
// nobody takes half a file for the whole.
func (a *attachment) end(err error) {
	switch {
	case err == nil:
		_, _ = a.Write(nil) // a file may be empty
	case a.begun:
		panic(http.ErrAbortHandler)
	default:
		refuse(a.w, err)
	}
}
