package api

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
)

const (
	mostFiles  = 1000
	uploadIdle = 60 * time.Second // maximum time until the next piece of an upload arrives
)

// upload adds the files of a multipart form as documents. The files are streamed to the session's folder, not held
// in memory, and deleted once they have been read.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	if err == nil {
		err = l.Busy() // check before gigabytes are sent in vain
	}
	var arriving *session.Arriving
	if err == nil {
		arriving, err = s.sessions.Arrive(personOf(r.Context()), r.ContentLength)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	got, err := s.receive(w, r, l, arriving)
	var out any
	if err == nil {
		out, err = s.sessions.Do(r.Context(), session.Request{
			Command: "upload", Session: l.ID(), Who: personOf(r.Context()), Client: clientOf(r.Header),
			Args: session.Upload{Inputs: got.inputs, Discard: got.discard},
		})
	}
	if err != nil {
		got.discard()
		refuse(w, err)
		return
	}
	answer(w, succeeded(out), out)
}

// uploads are the files of an upload.
type uploads struct {
	arriving *session.Arriving
	dir      string
	files    []*os.File
	inputs   []runner.Input // the inputs made from the files
}

// discard deletes the files.
func (u *uploads) discard() {
	for _, f := range u.files {
		_ = f.Close() // nothing remains to be written
	}
	if u.dir != "" {
		_ = os.RemoveAll(u.dir) // leftovers are deleted with the session
	}
	u.arriving.End()
}

func (s *Server) receive(
	w http.ResponseWriter, r *http.Request, l *session.Session, arriving *session.Arriving,
) (*uploads, error) {
	u := &uploads{arriving: arriving}
	if r.ContentLength > s.cfg.MaxUpload {
		return u, &http.MaxBytesError{Limit: s.cfg.MaxUpload}
	}
	r.Body = http.MaxBytesReader(w, arriving.Body(r.Body, r.ContentLength), s.cfg.MaxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return u, &session.Error{Code: "media_type", Message: "send multipart/form-data with a file name for each part"}
	}
	if u.dir, err = os.MkdirTemp(l.Dir(), session.ArrivingPrefix); err != nil {
		return u, fmt.Errorf("save the upload: %w", err)
	}
	body := &uploadDeadline{http.NewResponseController(w)}
	for {
		_ = body.wait()
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return u, s.broken(err)
		}
		if err := s.take(u, part, body); err != nil {
			return u, err
		}
	}
	if err := arriving.Settle(); err != nil {
		return u, err
	}
	if len(u.files) == 0 {
		return u, badRequest("there is no file in the upload")
	}
	return u, nil
}

// take stores one file of the form.
func (s *Server) take(u *uploads, part *multipart.Part, body *uploadDeadline) error {
	defer part.Close()
	name, err := session.DocumentName(fileName(part))
	if err != nil {
		return err
	}
	if len(u.files) == mostFiles {
		return &session.Error{
			Code: session.TooLarge, Message: fmt.Sprintf("an upload can have at most %d files", mostFiles),
		}
	}
	f, err := os.OpenFile(filepath.Join(u.dir, fmt.Sprint(len(u.files))), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("save the upload: %w", err)
	}
	u.files, u.inputs = append(u.files, f), append(u.inputs, runner.Reader(name, f))
	piece := make([]byte, 256<<10)
	for {
		_ = body.wait() // without deadlines, the maximum size still bounds the upload
		n, err := part.Read(piece)
		if _, werr := f.Write(piece[:n]); werr != nil {
			return fmt.Errorf("save the upload: %w", werr)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s.broken(err)
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// fileName returns the name of a file: the name of its form field, where the page puts the path of a file from a
// folder, or the browser's file name if the field is named "file".
func fileName(part *multipart.Part) string {
	if field := part.FormName(); part.FileName() == "" || field != "" && field != "file" {
		return asChosen(field)
	}
	return asChosen(part.FileName())
}

// asChosen undoes a browser's escaping of names in forms: it escapes exactly these three characters.
func asChosen(name string) string {
	return strings.NewReplacer("%22", `"`, "%0A", "\n", "%0D", "\r").Replace(name)
}

// broken explains why an upload failed.
func (s *Server) broken(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &session.Error{
			Code: session.TooLarge, Message: "an upload can have at most " + units.Binary(s.cfg.MaxUpload),
		}
	}
	if refused, ok := errors.AsType[*session.Error](err); ok {
		return refused
	}
	return badRequest("the upload broke off: " + err.Error())
}

// uploadDeadline limits the time until the next piece of an upload arrives.
type uploadDeadline struct{ control *http.ResponseController }

func (p *uploadDeadline) wait() error { return p.control.SetReadDeadline(time.Now().Add(uploadIdle)) }
