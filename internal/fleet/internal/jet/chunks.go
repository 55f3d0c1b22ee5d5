package jet

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// An object is stored as one message for each of its pieces and one that describes it, as in JetStream's object
// stores. JetStream's client keeps half a gigabyte of pieces in flight, fails if the server cannot keep pace, and
// gives up after half a minute regardless of progress. So this package sends the pieces itself, a few at a time,
// and times out, in both directions, only if no data has moved for a while.
const (
	pieceSize    = 512 << 10
	piecesAtOnce = 16
	stillTime    = 30 * time.Second
)

var errStill = fmt.Errorf("nothing has moved for %s: %w", stillTime, nats.ErrTimeout)

// putPieces stores the bytes of a reader as an object.
func (o *Objects) putPieces(ctx context.Context, name string, in io.Reader) error {
	old, err := o.store.GetInfo(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	info := jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: pieceSize}},
		Bucket:     o.bucket, NUID: nuid.Next(),
	}
	if err := o.sendPieces(ctx, &info, in); err != nil {
		_ = o.purgePieces(ctx, info.NUID) // if this fails, Sweep removes the pieces
		return err
	}
	data, err := json.Marshal(info)
	if err != nil {
		return err
	}
	msg := nats.NewMsg(o.subject(name))
	msg.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	msg.Data = data
	if _, err := o.conn.JS.PublishMsg(ctx, msg); err != nil {
		return err
	}
	if old != nil {
		_ = o.purgePieces(ctx, old.NUID) // if this fails, Sweep removes the pieces
	}
	return nil
}

// sendPieces sends the pieces of an object and fills in info.
func (o *Objects) sendPieces(ctx context.Context, info *jetstream.ObjectInfo, in io.Reader) error {
	h := sha256.New()
	var underWay []jetstream.PubAckFuture
	for piece := make([]byte, pieceSize); ; {
		n, err := io.ReadFull(in, piece)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if n > 0 {
			h.Write(piece[:n]) // a hash never fails
			ack, err := o.conn.Publish(o.chunks(info.NUID), piece[:n])
			if err != nil {
				return err
			}
			underWay = append(underWay, ack)
			info.Size, info.Chunks = info.Size+uint64(n), info.Chunks+1
		}
		over := err != nil
		for len(underWay) > 0 && (over || len(underWay) >= piecesAtOnce) {
			if err := arrived(ctx, underWay[0]); err != nil {
				return err
			}
			underWay = underWay[1:]
		}
		if over {
			info.Digest = jetstream.GetObjectDigestValue(h)
			return nil
		}
		if len(underWay) > 0 {
			piece = make([]byte, pieceSize) // the client uses the old one until it is acknowledged
		}
	}
}

// arrived waits until a message is acknowledged.
func arrived(ctx context.Context, ack jetstream.PubAckFuture) error {
	timer := time.NewTimer(stillTime)
	defer timer.Stop()
	select {
	case <-ack.Ok():
		return nil
	case err := <-ack.Err():
		return err
	case <-timer.C:
		return errStill
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (o *Objects) purgePieces(ctx context.Context, nuid string) error {
	store, err := o.conn.JS.Stream(ctx, o.stream())
	if err != nil {
		return err
	}
	return store.Purge(ctx, jetstream.WithPurgeSubject(o.chunks(nuid)))
}

// getPieces opens an object for reading. A read fails if nothing arrives for a while. The caller must close it.
func (o *Objects) getPieces(ctx context.Context, name string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, longestFetch)
	p := &pieces{cancel: cancel, still: time.AfterFunc(stillTime, cancel)}
	var err error
	if p.in, err = o.store.Get(ctx, name); err != nil {
		err = p.why(err)
		cancel()
		return nil, err
	}
	return p, nil
}

// longestFetch bounds the transfer of an object, because the client requires a bound.
const longestFetch = 24 * time.Hour

// pieces is an object that is being read.
type pieces struct {
	in     jetstream.ObjectResult
	still  *time.Timer
	cancel context.CancelFunc
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	if !p.still.Reset(stillTime) {
		return 0, errStill
	}
	n, err := p.in.Read(b)
	return n, p.why(err)
}

// why replaces an error with errStill if the transfer was cancelled because no data arrived.
func (p *pieces) why(err error) error {
	if errors.Is(err, context.Canceled) && !p.still.Stop() {
		return errStill
	}
	return err
}

// Close implements io.Closer.
func (p *pieces) Close() error {
	p.still.Stop()
	defer p.cancel()
	return p.in.Close()
}
