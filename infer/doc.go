// Package infer turns a Gaussian prior, sparse linear forms and scalar
// likelihoods into a Gaussian posterior.
//
// Every method here is one step on Gaussian sites: look at the marginal of a
// form, ask a Rule for the site that should stand for its likelihood, and put
// that site in place of the old one. The rules differ in whose derivatives
// they take:
//
//	EP          of log ∫ p(z)·cavity(z) dz, the cavity being the marginal
//	            without the site (expectation propagation)
//	VI          of ∫ log p(z)·q(z) dz (variational, with exact expectations)
//	Laplace     of log p at the mean
//	Jaakkola    of a quadratic bound of log p
//	Linearised  of the probability itself, as published in CROWD and DRAFT
//
// and the schedules in which sites are visited when:
//
//	Batch        all at once, damped, O(d³ + n·d² + rows·d) a sweep; EP of many
//	             independent items along their comparisons, see Graph
//	Sequential   one after the other, each by a rank-one step in O(n²)
//	Stochastic   random batches, by natural-gradient steps, at a cost that
//	             does not grow with the number of items or votes; where items have
//	             parts of their own (gp.Prior.Own) by visits, see ownStochastic
//
// Online is the sequential schedule opened up: votes arrive one at a time, each
// takes O(n²), and all sites are kept so that they can be revisited later.
//
// Run reports an objective that is what it says: the EP estimate of the log
// evidence, Laplace's, or a variational lower bound. For EP, VI and Jaakkola,
// Result.Sensitivity is its exact gradient in the prior at convergence.
//
// An improper cavity is skipped and counted in Stats. Failing to converge is a
// Status, not an error.
//
// To add a rule: a file with a type that implements Rule, and a row in the
// table of table_test.go.
package infer
