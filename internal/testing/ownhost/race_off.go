//go:build !race

package ownhost

const raced = false
