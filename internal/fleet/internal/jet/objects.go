package jet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Objects stores objects by the SHA-256 of their bytes, so that repeated contents are stored once.
type Objects struct {
	conn   *Conn
	store  jetstream.ObjectStore
	bucket string
	fresh  time.Duration
}

// Objects opens or creates an object store. An object that was sent longer ago than fresh is sent again even if it
// exists.
func (c *Conn) Objects(ctx context.Context, bucket string, fresh time.Duration) (*Objects, error) {
	store, err := opened(ctx, c,
		func(ctx context.Context) (jetstream.ObjectStore, error) { return c.JS.ObjectStore(ctx, bucket) },
		func(ctx context.Context, replicas int) (jetstream.ObjectStore, error) {
			return c.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Replicas: replicas})
		})
	return &Objects{c, store, bucket, fresh}, err
}

func (o *Objects) stream() string { return "OBJ_" + o.bucket }

// subject returns the subject of the message that describes an object, and chunks that of the object's pieces.
func (o *Objects) subject(name string) string {
	return "$O." + o.bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

func (o *Objects) chunks(nuid string) string { return "$O." + o.bucket + ".C." + nuid }

// PutBytes stores bytes as an object. It returns the object's name and whether it already existed.
func (o *Objects) PutBytes(ctx context.Context, data []byte) (name string, wasThere bool, err error) {
	return o.Put(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

// Put stores the bytes of a reader as an object, piece by piece. It returns the object's name and whether it
// already existed. open is called more than once.
func (o *Objects) Put(ctx context.Context, open func() (io.ReadCloser, error)) (name string, wasThere bool, err error) {
	in, err := open()
	if err != nil {
		return "", false, err
	}
	h := sha256.New()
	_, err = io.Copy(h, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return "", false, err
	}
	name = hex.EncodeToString(h.Sum(nil))
	info, err := Ask(ctx, o.conn, func(ctx context.Context) (*jetstream.ObjectInfo, error) {
		return o.store.GetInfo(ctx, name)
	})
	if err == nil && time.Since(info.ModTime) < o.fresh {
		return name, true, nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return name, false, err
	}
	wasThere = err == nil
	for tries := 0; ; tries++ {
		if err = o.putOnce(ctx, name, open); err == nil || ctx.Err() != nil || tries == objectTries || !Passes(err) {
			return name, wasThere, err
		}
	}
}

// objectTries is how often a transfer is tried if a server ends meanwhile.
const objectTries = 20

func (o *Objects) putOnce(ctx context.Context, name string, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close() // an error after reading does not matter
	return o.putPieces(ctx, name, in)
}

// Read returns a small object.
func (o *Objects) Read(ctx context.Context, name string) ([]byte, error) {
	var data bytes.Buffer
	err := o.load(ctx, name, func() (io.Writer, error) {
		data.Reset()
		return &data, nil
	})
	return data.Bytes(), err
}

// Fetch writes an object to a file, piece by piece. The file appears when it is complete.
func (o *Objects) Fetch(ctx context.Context, name, path string) error {
	return files.Write(path, false, func(f *os.File) error {
		return o.load(ctx, name, func() (io.Writer, error) {
			_, err := f.Seek(0, io.SeekStart)
			return f, errors.Join(err, f.Truncate(0))
		})
	})
}

// load copies an object to a writer; begin returns a fresh one for each try.
func (o *Objects) load(ctx context.Context, name string, begin func() (io.Writer, error)) (err error) {
	for range objectTries {
		if err = o.loadOnce(ctx, name, begin); err == nil || ctx.Err() != nil ||
			errors.Is(err, jetstream.ErrObjectNotFound) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("fetch the object %s: %w", name, err)
	}
	return nil
}

func (o *Objects) loadOnce(ctx context.Context, name string, begin func() (io.Writer, error)) error {
	in, err := Ask(context.WithoutCancel(ctx), o.conn, func(context.Context) (io.ReadCloser, error) {
		return o.getPieces(ctx, name)
	})
	if err != nil {
		return err
	}
	defer in.Close() // an error after reading does not matter
	out, err := begin()
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), in); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != name {
		return errors.New("it contains something else")
	}
	return nil
}

// Sweep deletes unused objects that were sent before the given time, and pieces of incomplete objects.
func (o *Objects) Sweep(ctx context.Context, used map[string]bool, before time.Time) error {
	store, err := Ask(ctx, o.conn, func(ctx context.Context) (jetstream.Stream, error) {
		return o.conn.JS.Stream(ctx, o.stream())
	})
	if err != nil {
		return err
	}
	infos, err := o.store.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	whole := map[string]bool{}
	for _, info := range infos {
		if used[info.Name] || info.ModTime.After(before) {
			whole[info.NUID] = true
			continue
		}
		gone, err := o.forget(ctx, store, info.Name, before)
		if err != nil {
			return err
		}
		whole[info.NUID] = !gone
	}
	there, err := store.Info(ctx, jetstream.WithSubjectFilter(o.chunks("*")))
	if err != nil {
		return err
	}
	for subject := range there.State.Subjects {
		if whole[strings.TrimPrefix(subject, o.chunks(""))] {
			continue
		}
		last, err := store.GetLastMsgForSubject(ctx, subject)
		if err == nil && last.Time.Before(before) {
			err = store.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
	}
	return nil
}

// forget deletes the entry of an object, unless a newer one has replaced it meanwhile.
func (o *Objects) forget(
	ctx context.Context, store jetstream.Stream, name string, before time.Time,
) (gone bool, err error) {
	entry, err := store.GetLastMsgForSubject(ctx, o.subject(name))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true, nil
	}
	if err != nil || entry.Time.After(before) {
		return false, err
	}
	err = store.DeleteMsg(ctx, entry.Sequence)
	if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil // the object was sent again
	}
	return err == nil, err
}
