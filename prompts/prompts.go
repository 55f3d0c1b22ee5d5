// Package prompts is what the model is told. It knows no other room: it renders plain values.
package prompts
