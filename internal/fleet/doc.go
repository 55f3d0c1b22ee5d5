// Package fleet runs many questions: the jobs of a batch wait in a queue, nodes take them from it, and each leaves one result.
//
// [Open] opens the queue of a data folder. It is NATS JetStream, in this process and without a port; other processes that open the same
// folder reach it through a socket there, and take it over when its owner ends. [Connect] opens one on servers elsewhere, such as a [Hub], which
// nodes on many machines share. [Submit] puts the jobs of a batch into the queue, which may
// know some of them already; a [Node] runs them with package runner; [Results] yields what they came to, as it comes. All three may be done
// by different processes, at different times.
//
// What is kept: a message for each span of jobs in one stream, a message for each result in another, a record for each batch. A job has an
// id that names its run before the run begins, so the run of a job that was interrupted is found in its log and goes on from there: no reply
// that was recorded is paid for again. A result is accepted once, because it must be the first message of its subject.
//
// Elsewhere the events of runs are in the queue as well, a subject for each run: what a node appends must follow the last message that it knows,
// so one node writes at a time. When it is silent another one goes on from there.
package fleet
