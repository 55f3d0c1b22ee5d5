package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/units"
)

// budgetShare is the part of a batch's budget that a node may use. Nodes take slices of the budget and return what
// they do not use, so that together they exceed it at most by their calls in flight.
type budgetShare struct {
	queue *Queue
	batch string

	mu     sync.Mutex
	budget Budget
	mine   usage
	empty  bool // no slice was left
}

// A slice is the remaining budget divided by partsOfRest, but at least the whole budget divided by partsOfWhole.
const (
	partsOfRest  = 32
	partsOfWhole = 500
)

// bound sets the budget. If it was raised, the node can take slices again.
func (l *budgetShare) bound(b Budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.Cost != l.budget.Cost || b.Tokens != l.budget.Tokens {
		l.budget, l.empty = b, false
	}
}

// over reports whether a node with this usage has exhausted the cost and the tokens of the budget. If only the
// node's share is used up, it first takes another slice. While the queue does not answer, the node may continue,
// because it cannot record anything anyway.
func (l *budgetShare) over(ctx context.Context, used usage) (cost, tokens bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cost, tokens = l.beyond(used); !cost && !tokens || l.empty {
		return cost, tokens
	}
	var took usage
	err := l.change(ctx, func(given *usage) {
		took = usage{}
		if b := l.budget.Cost; b > 0 && used.Cost >= l.mine.Cost {
			took.Cost = min(b-given.Cost, used.Cost-l.mine.Cost+max((b-given.Cost)/partsOfRest, b/partsOfWhole))
		}
		if b := l.budget.Tokens; b > 0 && used.Tokens >= l.mine.Tokens {
			took.Tokens = min(b-given.Tokens,
				used.Tokens-l.mine.Tokens+max((b-given.Tokens)/partsOfRest, b/partsOfWhole, 1))
		}
		took.Cost, took.Tokens = max(0, took.Cost), max(0, took.Tokens)
		*given = given.plus(took)
	})
	if err != nil {
		return false, false
	}
	l.mine = l.mine.plus(took)
	cost, tokens = l.beyond(used)
	l.empty = cost || tokens
	return cost, tokens
}

// beyond reports whether the node has used up the cost and the tokens of its share. The caller holds mu.
func (l *budgetShare) beyond(used usage) (cost, tokens bool) {
	return l.budget.Cost > 0 && used.Cost >= l.mine.Cost, l.budget.Tokens > 0 && used.Tokens >= l.mine.Tokens
}

// giveBack returns the unused part of the node's share, or takes from the budget what was used beyond the share.
func (l *budgetShare) giveBack(ctx context.Context, used usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.budget.Cost <= 0 && l.budget.Tokens <= 0 || used == l.mine {
		return nil
	}
	err := l.change(ctx, func(given *usage) {
		*given = given.plus(usage{used.Cost - l.mine.Cost, used.Tokens - l.mine.Tokens})
	})
	if err == nil {
		l.mine = used
	}
	return err
}

// usedUp describes a batch's budget that is used up; "" if it is not. In a shared queue, the usage is what nodes
// have taken; otherwise it is the argument given, the usage of the results.
func (q *Queue) usedUp(ctx context.Context, r record, given usage) string {
	if r.Budget.Cost <= 0 && r.Budget.Tokens <= 0 {
		return ""
	}
	if q.conn.Remote {
		entry, err := q.conn.Get(ctx, q.leases, r.ID)
		given = usage{}
		if err != nil || json.Unmarshal(entry.Value(), &given) != nil {
			return "" // no node has taken a slice
		}
	}
	switch {
	case r.Budget.Cost > 0 && given.Cost >= r.Budget.Cost:
		return usedUp(units.Dollars(given.Cost), units.Dollars(r.Budget.Cost)+ofTheBatch)
	case r.Budget.Tokens > 0 && given.Tokens >= r.Budget.Tokens:
		return usedUp(units.Count(given.Tokens), units.About(r.Budget.Tokens, "token")+ofTheBatch)
	}
	return ""
}

func usedUp(used, bound string) string {
	return fmt.Sprintf("the budget of the batch is used up (%s of %s)", used, bound)
}

// change changes the sum of all nodes' shares.
func (l *budgetShare) change(ctx context.Context, change func(given *usage)) error {
	err := jet.Revise(ctx, l.queue.conn, l.queue.leases, l.batch, func(given *usage) error {
		change(given)
		return nil
	})
	if err != nil {
		return fmt.Errorf("store the budget of %s: %w", l.batch, err)
	}
	return nil
}
