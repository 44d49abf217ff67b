package server

import (
	"strings"
	"unicode/utf8"
)

// The most bytes of what is stored as text; an item's body has MaxText.
const (
	maxTitle    = 200
	maxPrompt   = 500
	maxItemName = 300
	maxAddress  = 2000
	maxPerson   = 200 // a voter's name
	maxLabel    = 100 // of a group, a token, or a key of a program's own
	maxFeature  = 200
	maxFile     = 300 // a file's name
	maxReason   = 500
)

// checkText says what is wrong with a text that is to be stored. Databases differ
// in what they take: none gets a byte that is not UTF-8, nor a NUL.
func checkText(what, text string, most int) error {
	switch {
	case len(text) > most:
		return &TooLong{what, len(text), most}
	case !utf8.ValidString(text):
		return invalid("%s is not UTF-8", what)
	case strings.IndexByte(text, 0) >= 0:
		return invalid("%s holds a NUL byte", what)
	}
	return nil
}

// checkTexts checks several of one kind.
func checkTexts(what string, most int, texts ...string) error {
	for _, text := range texts {
		if err := checkText(what, text, most); err != nil {
			return err
		}
	}
	return nil
}
