// Package tuning has functions of known tops, to search for by duels: those by which
// optimisers are compared in the field, one with words among its parameters, and one of which
// few parameters matter.
package tuning
