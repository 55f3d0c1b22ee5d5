package api

import "net/http"

// attachment is a response that the browser saves as a file. If it is cut off, the download fails instead of
// seeming complete.
type attachment struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/octet-stream") // browsers never show it as a page of this server
		a.w.Header().Set("Content-Disposition", `attachment; filename="`+a.name+`"`)
	}
	return a.w.Write(p)
}

// end ends the file. If nothing has been written yet, an error is reported; otherwise it aborts the connection, so
// that nobody mistakes part of a file for all of it.
func (a *attachment) end(err error) {
	switch {
	case err == nil:
		_, _ = a.Write(nil) // sends the headers even if the file is empty
	case a.begun:
		panic(http.ErrAbortHandler)
	default:
		refuse(a.w, err)
	}
}
