// Package wording has the words of messages: names that may be misspelt, names of
// columns as tools write them, values in quotes, and how many of what.
package wording
