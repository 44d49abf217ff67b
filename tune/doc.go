// Package tune finds what people like best in a space of parameters, from duels between
// points of it: preferential Bayesian optimisation.
//
// A Space says what may be tried: parameters that are continuous, stepped, ordered,
// categorical or fixed, and constraints on them. A Point of it has one number a
// parameter. People see two points and say which they prefer, or that there is no
// difference, or choose the best of several; a Log keeps what they said, and by whom, beside
// numbers that points were given. From these things and a seed everything else follows:
//
//	space + log + seed ──▶ Belief ──▶ Next, Choice: the question to ask
//	                          └─────▶ Standing, People: the best point, and how sure that is
//
// so that a search that is taken up again goes on as if it had not been interrupted, bit
// for bit, and a log that was edited by hand is as good as one that was not.
//
// # Belief
//
// Utility is a Gaussian process over features of points (Space.Features): a squared exponential of
// the Euclidean distance, with a length-scale for every parameter, about a mean that falls from
// the centre of the space towards its bounds, how far is learnt. A duel is won by the
// first of two points with chance Φ(z − t), and a tie where the noisy difference is within
// ±t; z is the difference of utilities in units of the noise of a duel, so that the
// amplitude of utility is what there is to learn of the noise. The posterior given
// hyper-parameters is expectation propagation's in the space of duels (EPNOTE). The
// hyper-parameters have Gaussian priors on their logarithms, and are integrated over: a few
// draws of them, moved by elliptical slice sampling on the evidence as duels come in. They
// move at fixed numbers of duels (each of the first few, then when a fifth more have come)
// so that the work of a question is small, and what they are is a function of the log.
//
// Voters who are named have utilities of their own: the sum of what all have in common and of
// what is theirs, two processes of one kernel, and the share of the latter is learnt. So it is
// one process over points and voters, and Search.Voter says whose utility is looked at. A
// choice draws noise of variance ½ for each of its points, so that one among two is a duel, and
// states that the sum is highest at the point that was chosen: its comparisons are steps of
// forms that share the noise. A number is a line in utility and an error, with a gain, and an
// offset for every voter, that are learnt, so that its unit does not matter.
//
// # Questions
//
// The first questions fill the space evenly. After them a question is the pair whose better one
// is expected to be best (EUBO), in closed form for every draw of the hyper-parameters,
// climbed from several starts by gradients that the kernel's own derivatives give. See
// Policy for the others. A proposal never leaves the space: steps stay inside the bounds
// and constraints, and end where they would cross one.
//
// # Caveats
//
// The work of a fit grows with the cube of the number of duels; a few hundred are meant.
// Answers without a name are taken to be of one taste. Where there is a list of things rather than a
// space, rank them: package model.
package tune
