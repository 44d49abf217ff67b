// Palate learns what people prefer from votes between pairs.
//
//	palate demo                              an example, explained
//	palate rank votes.csv                    a leaderboard with honest uncertainty
//	palate fit votes.csv -o teas.palate      a model file
//	palate predict teas.palate --pairs p.csv the chances of each pair
//	palate factors tastes.palate             by what voters differ
//	palate next votes.csv -k 5               which pairs to ask next
//	palate ask --items teas.csv -o mine.csv  asks you, and learns from each answer
//	palate simulate -o votes.csv             made-up votes, with the truth beside them
//
// Each command is a file of this package. Standard output carries results and
// nothing else; notes, progress (on a terminal only) and errors go to standard
// error, errors as one line. The exit code is 0 when all is well, 1 for bad data
// and failures, 2 for a command line that cannot be understood, 130 after an
// interrupt (Ctrl-C, SIGINT), 143 after SIGTERM and 129 after SIGHUP.
//
// Files are written aside and renamed into place when they are whole, so that
// a command that fails or is interrupted leaves what was there before. A command
// that is told to stop says "stopping…" and ends within two seconds, wherever it
// is: the context of the command ends with the signal, and what does not heed it
// in time is ended with the process. What was finished stays: checkpoints, the
// answers to ask, the splits of an experiment. A second signal ends the process at
// once, with files as they were all the same. serve answers the requests under way
// and ends with 0.
package main
