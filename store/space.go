package store

// Space is the space of parameters that the items of a board are points of. The names of the
// parameters are the board's Features, and a point's values those of its item.
type Space struct {
	// Text is the space as its owner wrote it.
	Text string `json:"text"`
	// URL and Body are templates, in which {name} stands for the value of a parameter: of
	// where an item leads, and of what voters see. Each may be empty.
	URL  string `json:"url,omitempty"`
	Body string `json:"body,omitempty"`
	// Seed is that of the questions.
	Seed uint64 `json:"seed,omitempty"`
}
