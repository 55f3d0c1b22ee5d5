// Package decide holds the rules for what Go leaves open inside a cell, so that a cell that is run again holds the values that
// the model saw. They are the same for every engine.
//
//   - The keys of a map are visited in an order that follows from the cell's seed and the keys alone (Order).
//   - Each goroutine draws from a stream of its own, which follows from the seed and from who started it (Stream): random
//     numbers (Chance), and which of several ready cases a select statement takes.
//   - Each reading of the clock is answered from the record (Clock).
//   - What comes from outside, a reply to a sub-call or a timer (Timers), reaches the cell one at a time, the next when everything in
//     the cell waits again, in an order that is recorded (Arrivals).
//
// Goroutines that compute at the same time and race for a lock are not decided.
package decide
