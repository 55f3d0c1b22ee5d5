package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
)

const (
	mostFiles  = 1000
	uploadIdle = 60 * time.Second // in which the next piece of an upload must come
)

// upload takes files of a multipart form and makes them documents. They are written to the session's folder while they come, never held in
// memory, and deleted when they have been read.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	req := &request{Request: r, who: personOf(r.Context())}
	l, err := s.find(req)
	if err != nil {
		refuse(w, err)
		return
	}
	if st := l.State(); st.Doing != "" { // before gigabytes are sent in vain
		refuse(w, &live.BusyError{State: st})
		return
	}
	got, err := s.receive(w, r, l)
	if err != nil {
		got.discard()
		refuse(w, err)
		return
	}
	begun, err := s.startAt(req, l, doing{name: "add", do: got.add, done: got.discard})
	if err != nil {
		got.discard()
		refuse(w, err)
		return
	}
	answer(w, begun.status(), begun)
}

// received are files that were uploaded.
type received struct {
	dir   string
	names []string
	files []*os.File
}

// discard deletes the files.
func (u *received) discard() {
	for _, f := range u.files {
		_ = f.Close() // it was only read
	}
	if u.dir != "" {
		_ = os.RemoveAll(u.dir) // what stays goes with the session
	}
}

// add makes documents of the files, and deletes them before the session is free again.
func (u *received) add(ctx context.Context, rs *runner.Session) error {
	defer u.discard()
	inputs := make([]runner.Input, len(u.files))
	for i, f := range u.files {
		inputs[i] = runner.Reader(u.names[i], f)
	}
	return rs.AddContext(ctx, inputs...)
}

func (s *Server) receive(w http.ResponseWriter, r *http.Request, l *live.Session) (*received, error) {
	u := &received{}
	if r.ContentLength > s.cfg.MaxUpload {
		return u, &http.MaxBytesError{Limit: s.cfg.MaxUpload}
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.MaxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return u, &failure{http.StatusUnsupportedMediaType, "media_type", "send multipart/form-data with a file name for each part", nil}
	}
	if u.dir, err = os.MkdirTemp(l.Dir(), "upload-"); err != nil {
		return u, fmt.Errorf("keep the upload: %w", err)
	}
	body := &patient{http.NewResponseController(w)}
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
	if len(u.files) == 0 {
		return u, badRequest("there is no file in the upload")
	}
	return u, nil
}

// take writes one file.
func (s *Server) take(u *received, part *multipart.Part, body *patient) error {
	defer part.Close()
	name, err := documentName(fileName(part))
	if err != nil {
		return err
	}
	if len(u.files) == mostFiles {
		return &failure{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("an upload has at most %d files", mostFiles), nil}
	}
	f, err := os.OpenFile(filepath.Join(u.dir, fmt.Sprint(len(u.files))), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keep the upload: %w", err)
	}
	u.files, u.names = append(u.files, f), append(u.names, name)
	piece := make([]byte, 256<<10)
	for {
		_ = body.wait() // a connection without deadlines is bounded by its size all the same
		n, err := part.Read(piece)
		if _, werr := f.Write(piece[:n]); werr != nil {
			return fmt.Errorf("keep the upload: %w", werr)
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

// fileName is the name of a file: that of its field, where a page puts the folders of one that lay in some, or if that is "file" the
// one that the browser gives.
func fileName(part *multipart.Part) string {
	if field := part.FormName(); part.FileName() == "" || field != "" && field != "file" {
		return asChosen(field)
	}
	return asChosen(part.FileName())
}

// asChosen is a name as it was before a browser put it into a form: there it writes these three signs, and no others, like this.
func asChosen(name string) string {
	return strings.NewReplacer("%22", `"`, "%0A", "\n", "%0D", "\r").Replace(name)
}

// broken says why an upload did not come in.
func (s *Server) broken(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &failure{http.StatusRequestEntityTooLarge, "too_large", "an upload has at most " + quantity.Binary(s.cfg.MaxUpload), nil}
	}
	return badRequest("the upload broke off: " + err.Error())
}

// patient gives the one who sends some time for each piece.
type patient struct{ control *http.ResponseController }

func (p *patient) wait() error { return p.control.SetReadDeadline(time.Now().Add(uploadIdle)) }
