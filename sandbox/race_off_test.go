//go:build !race

package sandbox_test

const raceBuild = false
