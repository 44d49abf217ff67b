// Package drift infers utilities that move in time.
//
// The utility of an item is what stays of it and what moves, a Gaussian process in time
// (Process). Votes are cut into periods, and within one the utility of an item is a number: a
// state. What two periods have to do with each other goes along the item's chain of states,
// which a filter and a smoother go through exactly in time linear in their number; what two
// items have to do with each other goes along the votes of a period. Expectation propagation
// alternates between both: votes of a pair tell each of its two states what they mean given
// what is known of the other, and chains carry on what their states were told (Herbrich, Minka
// and Graepel 2007; Dangauthier and others 2008; Maystre, Kristof and Grossglauser 2019).
//
// Once sites have settled, the posterior given the sites is a Gaussian with a sparse precision:
// chains, and an entry a pair. Its means are what messages end at. Its variances are not, as
// messages go round in loops: what a board shows comes from joint draws, which conjugate
// gradients make of draws of the prior, with the chains as preconditioner. Where that would
// take too long they are of the items' chains by themselves, as messages have them.
//
// The process is learnt by the evidence (Learn): with the messages held, the evidence of the
// chains alone has the right gradient, and costs no visit of a vote. What votes leave open of
// its parameters is integrated out on a lattice, at whose points messages settle anew.
package drift
