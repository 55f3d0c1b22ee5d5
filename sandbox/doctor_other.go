//go:build !linux

package sandbox

func kernelFacts() []Fact { return nil }

func namespaceHints() []string { return nil }
