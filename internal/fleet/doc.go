// Package fleet runs many questions: the jobs of a batch wait in a queue, nodes take them from it, and each job
// ends with one result.
//
// [Open] opens the queue of a data folder. It is NATS JetStream, in this process and without a port; other
// processes that open the same folder reach it through a socket in the folder, and take it over when its owner
// ends. [Connect] opens a queue on other servers, such as a [Hub], which nodes on many machines share. [Submit]
// puts the jobs of a batch into the queue, which may already know some of them; a [Node] runs them with package
// runner; [Results] yields their results as they arrive. Different processes may do these things, at different
// times.
//
// The queue stores a message for each span of jobs in one stream, a message for each result in another, and a
// record for each batch. A job has an id that names its run before the run begins, so the run of an interrupted job
// is found in its log and continues from there: no recorded reply is paid for again. Only the first result of a job
// is accepted, because it must be the first message of its subject.
//
// A shared queue also stores the events of runs, under a subject for each run: a node can append only if it knows
// the last message, so one node writes at a time. If that node falls silent, another one continues the run.
package fleet
