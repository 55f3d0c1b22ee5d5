package eval

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/kit/text"
)

// Fleet is a queue whose nodes run an evaluation.
type Fleet struct {
	Queue   *fleet.Queue
	DataDir string // data folder of this machine, to which runs are copied
	Retry   bool   // retry dead jobs
}

// Run has a node answer an item, copies the run, and returns the folder of its log.
func (f Fleet) Run(ctx context.Context, job fleet.Job, item suite.Item, at *eval.Attempt) (log string, err error) {
	job.ID, job.Question = item.ID, item.Question
	for _, d := range item.Documents {
		job.Context = append(job.Context, fleet.Source{Name: d.Name, Text: d.Text})
	}
	batch := fleet.Batch{ID: text.ID("eval", at.Key), Name: "eval " + item.ID}
	release, err := f.Queue.Claim(batch.ID)
	if err != nil {
		return "", err
	}
	defer release()
	if _, err = fleet.Submit(ctx, f.Queue, batch, []fleet.Job{job}, fleet.Submission{Retry: f.Retry}); err != nil {
		return "", err
	}
	for r, err := range fleet.Await(ctx, f.Queue, batch.ID, 0, nil) {
		switch {
		case err != nil:
			return "", err
		case r.Run == "" || r.Status == "":
			return "", errors.New(r.Reason)
		}
		if err := fleet.Fetch(ctx, f.Queue, r.Run, f.DataDir, false); err != nil {
			return "", err
		}
		return filepath.Join(f.DataDir, "rlm", "runs", r.Run), nil
	}
	return "", cmp.Or(context.Cause(ctx), errors.New("the fleet returned no result"))
}
