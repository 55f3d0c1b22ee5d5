package fleet

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// revise changes a value of a bucket that other processes change, too; one that is not there begins as zero. change is called again when somebody
// else was faster.
func revise[T any](ctx context.Context, q *Queue, in jetstream.KeyValue, key string, change func(*T) error) error {
	for {
		var v T
		entry, err := ask(ctx, q, func(ctx context.Context) (jetstream.KeyValueEntry, error) { return in.Get(ctx, key) })
		if err == nil {
			err = json.Unmarshal(entry.Value(), &v)
		}
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
		if err := change(&v); err != nil {
			return err
		}
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = ask(ctx, q, func(ctx context.Context) (uint64, error) {
			if entry == nil {
				return in.Create(ctx, key, data)
			}
			return in.Update(ctx, key, data, entry.Revision())
		})
		if err == nil || !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return err
		}
	}
}
