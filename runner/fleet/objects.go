package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The name of an object is the SHA-256 of its bytes: what several batches use is kept once.

// hashOf is the name of the object that holds what a reader gives.
func hashOf(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// putObject keeps what open gives under its name, piece by piece, if it is not there yet. See refreshed.
func (q *Queue) putObject(ctx context.Context, name string, open func() (io.ReadCloser, error)) (wasThere bool, err error) {
	info, err := ask(ctx, q, func(ctx context.Context) (*jetstream.ObjectInfo, error) { return q.objects.GetInfo(ctx, name) })
	if err == nil && time.Since(info.ModTime) < refreshed {
		return true, nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, err
	}
	wasThere = err == nil
	for tries := 0; ; tries++ {
		if err = q.putOnce(ctx, name, open); err == nil || ctx.Err() != nil || tries == objectTries || !passes(err) {
			return wasThere, err
		}
	}
}

// objectTries is how often an object is sent or fetched again when a server ends meanwhile.
const objectTries = 20

func (q *Queue) putOnce(ctx context.Context, name string, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close() // opened for reading
	return q.putPieces(ctx, name, in)
}

// object opens an object for reading.
func (q *Queue) object(ctx context.Context, name string) (io.ReadCloser, error) {
	return ask(context.WithoutCancel(ctx), q, func(context.Context) (io.ReadCloser, error) { return q.getPieces(ctx, name) })
}

// readObject returns a small object.
func (q *Queue) readObject(ctx context.Context, name string) ([]byte, error) {
	var err error
	for range objectTries {
		var data []byte
		if data, err = q.objectOnce(ctx, name); err == nil || ctx.Err() != nil || errors.Is(err, jetstream.ErrObjectNotFound) {
			return data, err
		}
	}
	return nil, err
}

func (q *Queue) objectOnce(ctx context.Context, name string) ([]byte, error) {
	in, err := q.object(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("fetch the object %s: %w", name, err)
	}
	defer in.Close() // opened for reading
	data, err := io.ReadAll(in)
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != name {
		err = errors.New("it holds something else")
	}
	if err != nil {
		return nil, fmt.Errorf("fetch the object %s: %w", name, err)
	}
	return data, nil
}

// fetchObject writes an object to a file, piece by piece. The file is there when it is whole.
func (q *Queue) fetchObject(ctx context.Context, name, path string) error {
	var err error
	for range objectTries {
		if err = q.fetchOnce(ctx, name, path); err == nil || ctx.Err() != nil || errors.Is(err, jetstream.ErrObjectNotFound) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("fetch the object %s: %w", name, err)
	}
	return nil
}

func (q *Queue) fetchOnce(ctx context.Context, name, path string) (err error) {
	in, err := q.object(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close() // opened for reading
	out, err := os.CreateTemp(filepath.Dir(path), ".fetched-*")
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), in)
	if err = errors.Join(err, out.Close()); err == nil && hex.EncodeToString(h.Sum(nil)) != name {
		err = errors.New("it holds something else")
	}
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}

// putReader keeps what can be read as an object and returns its name.
func (q *Queue) putReader(ctx context.Context, open func() (io.ReadCloser, error)) (name string, err error) {
	name, _, err = q.putNamed(ctx, open)
	return name, err
}

// putNamed is putReader that says whether the object was there.
func (q *Queue) putNamed(ctx context.Context, open func() (io.ReadCloser, error)) (name string, wasThere bool, err error) {
	in, err := open()
	if err != nil {
		return "", false, err
	}
	name, err = hashOf(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return "", false, err
	}
	wasThere, err = q.putObject(ctx, name, open)
	return name, wasThere, err
}
