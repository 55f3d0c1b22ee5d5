// Package decide contains the rules for whatever Go leaves open inside a cell, so that a cell that runs again
// computes the values that the model saw. The rules are the same for every engine.
//
//   - The keys of a map are visited in an order that depends only on the cell's seed and the keys (Order).
//   - Each goroutine draws from its own stream, which depends on the seed and on the goroutine that started it
//     (Stream): random numbers (Chance), and the ready case that a select statement takes.
//   - Each reading of the clock is answered from the record (Clock).
//   - Events from outside, replies to sub-calls and timers (Timers), reach the cell one at a time, each when all
//     goroutines of the cell are waiting again, in a recorded order (Arrivals).
//
// The order of goroutines that compute at the same time and race for a lock is not determined.
package decide
