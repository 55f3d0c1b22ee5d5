//go:build race

package ownhost

const raced = true
