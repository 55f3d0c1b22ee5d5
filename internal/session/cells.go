package session

import (
	"context"
	"sync"

	"github.com/gorlm/rlm/internal/kit/admission"
)

// CellsOfUser is the default of Limits.Cells, the cells that one user may run at the same time: each may take
// the memory of a worker. Further cells wait their turn.
const CellsOfUser = 4

// cellsOfUsers bounds the running cells of all users.
const cellsOfUsers = 16

// cells limits the running cells of users. The owner's cells are not limited.
type cells struct {
	all *admission.Queue

	mu sync.Mutex
	of map[string]*userCells
}

// userCells is the queue of one user.
type userCells struct {
	*admission.Queue
	used int
}

func newCells() *cells {
	return &cells{all: admission.NewQueue(cellsOfUsers), of: map[string]*userCells{}}
}

// enterCell waits until a user may run a cell, and calls ahead with the number of cells that run before it. Call
// leave after the cell.
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

// EnterCells waits until a person may run cells outside of a session's tasks, as a replay does. Call leave after them.
func (m *Manager) EnterCells(ctx context.Context, who Person) (leave func(), err error) {
	return m.enterCell(ctx, who.Name, nil)
}

// hold returns the queue of a user, creates it if necessary, and counts a use of it.
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

// drop ends a use of a user's queue, and deletes the queue after the last use.
func (c *cells) drop(who string, own *userCells) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own.used--; own.used == 0 {
		delete(c.of, who)
	}
}
