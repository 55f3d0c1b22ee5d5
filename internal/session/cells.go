package session

import (
	"context"
	"sync"

	"github.com/gorlm/rlm/internal/kit/admission"
)

// CellsOfUser is how many cells a user runs at once, unless Limits.Cells says otherwise: each may take the memory of a worker.
// Those beyond wait their turn.
const CellsOfUser = 4

// cellsOfUsers is how many all users run at once.
const cellsOfUsers = 16

// cells are those that users run at this moment. The owner's do not count.
type cells struct {
	all *admission.Queue

	mu sync.Mutex
	of map[string]*userCells
}

// userCells are those of one user.
type userCells struct {
	*admission.Queue
	used int
}

func newCells() *cells {
	return &cells{all: admission.NewQueue(cellsOfUsers), of: map[string]*userCells{}}
}

// enterCell waits until somebody may run a cell. ahead hears how many come before it.
func (m *Manager) enterCell(ctx context.Context, who string, ahead func(int)) (leave func(), err error) {
	if who == OwnerName || m.cfg.Limits == nil {
		return func() {}, nil
	}
	own := m.cells.hold(who, m.cfg.Limits(who).Cells)
	wish := admission.Wish{Who: who, Ahead: ahead}
	if err := own.Enter(ctx, wish); err != nil {
		m.cells.drop(who, own)
		return nil, err
	}
	if err := m.cells.all.Enter(ctx, wish); err != nil {
		own.Leave(who)
		m.cells.drop(who, own)
		return nil, err
	}
	return func() {
		m.cells.all.Leave(who)
		own.Leave(who)
		m.cells.drop(who, own)
	}, nil
}

// hold is the queue of a user, made where there is none.
func (c *cells) hold(who string, places int) *userCells {
	if places <= 0 {
		places = CellsOfUser
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.of[who]
	if own == nil {
		own = &userCells{Queue: admission.NewQueue(places)}
		c.of[who] = own
	}
	own.used++
	return own
}

// drop forgets the queue of a user in which nobody is.
func (c *cells) drop(who string, own *userCells) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own.used--; own.used == 0 {
		delete(c.of, who)
	}
}
