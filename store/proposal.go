package store

import "time"

// ProposalState is what became of a proposal.
type ProposalState string

const (
	Pending  ProposalState = "pending"
	Accepted ProposalState = "accepted"
	Refused  ProposalState = "refused"
)

// Proposal is an item that a voter proposes.
type Proposal struct {
	Board   string
	ID      string
	Voter   string
	Body    string
	State   ProposalState
	Item    int    // the number of the item that it became, or −1
	Reason  string // why it was refused; may be empty
	Created time.Time
}
