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
// and failures, 2 for a command line that cannot be understood.
//
// Files are written aside and renamed into place when they are whole, so that
// a command that fails or is interrupted leaves what was there before. After an
// interrupt fit writes nothing; rank shows the board of the unfinished fit when
// that is nearly settled, says so, and still exits with 1.
package main
