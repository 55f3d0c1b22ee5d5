//go:build !linux

package sandbox

import (
	"errors"
	"time"
)

// usage measures nothing on this system: only the worker's own soft limit bounds its memory.
type usage struct{}

func openUsage(int) *usage                                 { return &usage{} }
func (u *usage) close()                                    {}
func (u *usage) memory() (space, private int64, err error) { return 0, 0, errors.ErrUnsupported }
func (u *usage) threads() int                              { return 0 }
func (u *usage) cpu() (time.Duration, bool)                { return 0, false }
func (u *usage) sleep() (first, others bool)               { return false, false }
func (u *usage) wall(int64) error                          { return nil }
func (u *usage) raiseWall(int64) error                     { return nil }
