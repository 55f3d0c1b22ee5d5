package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// fullDisk words an error of the disk that holds the runs when that is full: once, and with what to do. Any other error stays as
// it is. id is the run that goes on from there, empty if none had begun.
func fullDisk(err error, id string) error {
	var at *fs.PathError
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &at) {
		return err
	}
	runs, dirErr := runsDir()
	if dirErr != nil || !strings.HasPrefix(at.Path, runs) {
		return err
	}
	next := " and try again"
	if id != "" {
		next = ", then go on with: rlm resume " + id
	}
	return fmt.Errorf("the disk is full: nothing more can be recorded in %s; free some space%s", runs, next)
}

// fullForBatch words an error of a full disk for a batch, whose command goes on.
func fullForBatch(err error) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("the disk is full (%w); free some space, then the same command goes on", err)
}
