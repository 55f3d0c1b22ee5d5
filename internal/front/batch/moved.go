package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner/trajectory"
)

// moved returns the earlier batch of the same command if the command's folder has been moved since: that batch is
// found through the last run in the output. Otherwise it returns b.
func moved(ctx context.Context, q *fleet.Queue, b fleet.Batch, o Options) fleet.Batch {
	if o.Output == "" || o.Fleet || files.Flows(o.Output) {
		return b
	}
	if _, err := q.Find(ctx, b.ID); err == nil {
		return b
	}
	run := lastRun(o)
	sum, err := trajectory.Summarize(filepath.Join(o.Submission.RunsDir, run))
	if run == "" || err != nil || sum.Batch == "" {
		return b
	}
	old, err := q.Find(ctx, sum.Batch)
	if err != nil {
		return b
	}
	var was, is Invocation
	if json.Unmarshal(old.Metadata, &was) != nil || json.Unmarshal(b.Metadata, &is) != nil ||
		was.Command != is.Command || was.Dir == is.Dir {
		return b
	}
	if _, err := os.Stat(was.Dir); errors.Is(err, fs.ErrNotExist) {
		b.ID = old.ID
	}
	return b
}

// lastRun returns the run of the last result in the output; "" if there is none.
func lastRun(o Options) string {
	data, err := os.ReadFile(o.Output)
	if err != nil {
		return ""
	}
	data = bytes.TrimSpace(decoding.Bytes(data))
	line := data[bytes.LastIndexByte(data, '\n')+1:]
	if o.Format == fleet.CSV { // the last column is the run
		run := string(line[bytes.LastIndexByte(line, ',')+1:])
		if strings.ContainsAny(run, `/\`) {
			return ""
		}
		return run
	}
	var l fleet.Line
	if json.Unmarshal(line, &l) != nil || !filepath.IsLocal(l.Run) {
		return ""
	}
	return l.Run
}
