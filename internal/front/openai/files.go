package openai

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
)

const (
	mostFiles  = 10_000    // maximum number per caller
	uploadTime = time.Hour // for a whole upload; each piece must arrive within bodyIdle
)

// fileStore stores the files that callers upload. Each file has a folder, which contains its bytes and its
// metadata.
type fileStore struct {
	dir  string
	most int64 // maximum bytes of one file
}

// file is an uploaded file in the form that clients receive.
type file struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Bytes   int64  `json:"bytes"`
	Created int64  `json:"created_at"`
	Name    string `json:"filename"`
	Purpose string `json:"purpose"`
	Status  string `json:"status"`
}

// storedFile is the metadata of a file on disk.
type storedFile struct {
	file
	Who string `json:"who"`
}

// find returns a caller's file.
func (f *fileStore) find(who Caller, id string) (file, error) {
	missing := &Failure{
		Status: http.StatusNotFound, Param: "file_id",
		Message: "no such file: '" + text.Short(id, 64) + "'",
	}
	if !fileID(id) {
		return file{}, missing
	}
	var k storedFile
	if err := files.ReadJSON(filepath.Join(f.dir, id, "about.json"), &k); err != nil {
		return file{}, fmt.Errorf("read what is known of file %s: %w", id, err)
	}
	if k.ID == "" || k.Who != who.Scope() {
		return file{}, missing
	}
	return k.file, nil
}

// fileID reports whether an id has the form of the ids made here, so that it is safe as the name of a folder.
func fileID(id string) bool {
	rest, ok := strings.CutPrefix(id, "file-")
	return ok && len(rest) == 32 && strings.Trim(rest, "0123456789abcdef") == ""
}

func (f *fileStore) open(who Caller, id string) (file, *os.File, error) {
	info, err := f.find(who, id)
	if err != nil {
		return info, nil, err
	}
	b, err := os.Open(filepath.Join(f.dir, id, "bytes"))
	return info, b, err
}

// all returns a caller's files, newest first.
func (f *fileStore) all(who Caller) ([]file, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := []file{}
	for _, e := range entries {
		if info, err := f.find(who, e.Name()); err == nil {
			out = append(out, info)
		}
	}
	slices.SortStableFunc(out, func(a, b file) int { return int(b.Created - a.Created) })
	return out, nil
}

// keep stores a file while it arrives.
func (f *fileStore) keep(who Caller, name, purpose string, r io.Reader) (file, error) {
	k := storedFile{file{newID("file-"), "file", 0, time.Now().Unix(), name, purpose, "processed"}, who.Scope()}
	dir := filepath.Join(f.dir, k.ID)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		k.Bytes, err = save(filepath.Join(dir, "bytes"), r)
	}
	if err == nil {
		err = files.ReplaceJSON(filepath.Join(dir, "about.json"), k)
	}
	if err != nil {
		return file{}, errors.Join(err, os.RemoveAll(dir))
	}
	return k.file, nil
}

func save(path string, r io.Reader) (int64, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, r)
	return n, errors.Join(err, f.Sync(), f.Close())
}

func (a *API) listFiles(w http.ResponseWriter, r *http.Request) error {
	all, err := a.files.all(a.cfg.Who(r))
	if err != nil {
		return err
	}
	q := r.URL.Query()
	if purpose := q.Get("purpose"); purpose != "" {
		all = slices.DeleteFunc(all, func(f file) bool { return f.Purpose != purpose })
	}
	if q.Get("order") == "asc" {
		slices.Reverse(all)
	}
	if after := q.Get("after"); after != "" {
		i := slices.IndexFunc(all, func(f file) bool { return f.ID == after })
		all = all[i+1:]
	}
	out := list[file]{Object: "list", Data: all}
	if limit, err := strconv.Atoi(q.Get("limit")); err == nil && limit > 0 && limit < len(all) {
		out.Data, out.HasMore = all[:limit], true
	}
	send(w, http.StatusOK, out)
	return nil
}

// Stored returns the size of a caller's files in bytes.
func (a *API) Stored(who Caller) (sum int64) {
	all, _ := a.files.all(who) // unreadable files do not count
	for _, f := range all {
		sum += f.Bytes
	}
	return sum
}

func (a *API) oneFile(w http.ResponseWriter, r *http.Request) error {
	info, err := a.files.find(a.cfg.Who(r), r.PathValue("id"))
	if err == nil {
		send(w, http.StatusOK, info)
	}
	return err
}

func (a *API) fileContent(w http.ResponseWriter, r *http.Request) error {
	info, f, err := a.files.open(a.cfg.Who(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": info.Name}))
	w.Header().Set("Content-Length", fmt.Sprint(info.Bytes))
	_, _ = io.Copy(w, f) // fails only if the client is gone
	return nil
}

func (a *API) deleteFile(w http.ResponseWriter, r *http.Request) error {
	info, err := a.files.find(a.cfg.Who(r), r.PathValue("id"))
	if err == nil {
		err = os.RemoveAll(filepath.Join(a.files.dir, info.ID))
	}
	if err == nil {
		send(w, http.StatusOK, deletion{info.ID, "file", true})
	}
	return err
}

// deletion confirms that something was deleted.
type deletion struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// uploadFile stores the file of a form. The file is streamed to disk and not held in memory.
func (a *API) uploadFile(w http.ResponseWriter, r *http.Request) error {
	who := a.cfg.Who(r)
	if all, err := a.files.all(who); err != nil || len(all) >= mostFiles {
		return errors.Join(err, &Failure{
			Status: http.StatusTooManyRequests, Code: "too_many_files",
			Message: fmt.Sprintf("you already have %d files; delete some", mostFiles), Once: true,
		})
	}
	arriving, err := a.cfg.Sessions.Arrive(who, r.ContentLength)
	if err != nil {
		return err
	}
	defer arriving.End()
	if r.ContentLength > a.files.most {
		return a.brokenUpload(&http.MaxBytesError{Limit: a.files.most})
	}
	r.Body = newDeadlineReader(w, arriving.Body(r.Body, r.ContentLength), uploadTime)
	r.Body = http.MaxBytesReader(w, r.Body, a.files.most)
	form, err := r.MultipartReader()
	if err != nil {
		return &Failure{
			Status:  http.StatusUnsupportedMediaType,
			Message: "send multipart/form-data with the parts 'purpose' and 'file'",
		}
	}
	var info file
	purpose := "user_data"
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = a.takePart(who, p, arriving, &purpose, &info)
		}
		if err != nil {
			return a.brokenUpload(err)
		}
	}
	if info.ID == "" {
		return wrong("file", "the form has no part 'file'")
	}
	if purpose != info.Purpose { // the purpose came after the file
		info.Purpose = purpose
		if err := files.ReplaceJSON(
			filepath.Join(a.files.dir, info.ID, "about.json"), storedFile{info, who.Scope()}); err != nil {
			return err
		}
	}
	send(w, http.StatusOK, info)
	return nil
}

// takePart handles a part of the form.
func (a *API) takePart(
	who Caller, p *multipart.Part, arriving *session.Arriving, purpose *string, info *file,
) error {
	switch p.FormName() {
	case "purpose":
		b, err := io.ReadAll(io.LimitReader(p, 100))
		*purpose = string(b)
		return err
	case "file":
		if info.ID != "" {
			return wrong("file", "send one file per form")
		}
		name, err := documentName(p.FileName())
		if err == nil {
			*info, err = a.files.keep(who, name, *purpose, io.MultiReader(p, settling{arriving}))
		}
		if err == nil { // now the file counts itself
			arriving.End()
		}
		return err
	}
	return notHonoured(text.Short(p.FormName(), 64),
		"files are kept until they are deleted; they can have only a purpose")
}

// settling reserves disk space for a file that has come in, before the file counts itself.
type settling struct{ *session.Arriving }

func (s settling) Read([]byte) (int, error) {
	if err := s.Settle(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func (a *API) brokenUpload(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return &Failure{
			Status: http.StatusRequestEntityTooLarge, Code: "file_too_large", Param: "file",
			Message: "a file can have at most " + units.Binary(a.files.most),
		}
	}
	return brokenBody(err)
}
