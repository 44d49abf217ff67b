package server

import (
	"errors"
	"fmt"
)

// The errors of a Service wrap one of these, or one of package store.
var (
	// ErrInvalid says what is wrong with the input.
	ErrInvalid = errors.New("invalid")
	// ErrForbidden says that it is not for this person or program to do.
	ErrForbidden = errors.New("not allowed")
	// ErrClosed says that the board takes no votes.
	ErrClosed = errors.New("the board is closed")
	// ErrDone says that there is no pair left to ask this voter.
	ErrDone = errors.New("no pair is left to ask")
	// ErrFull says that a board of a space has as many answers as it takes.
	ErrFull = fmt.Errorf("%w: the board has as many duels as it takes", ErrDone)
	// ErrQuota says that a voter has cast as many votes as each may.
	ErrQuota = errors.New("all votes that a voter has are cast")
	// ErrExcluded says that the owner has excluded the voter.
	ErrExcluded = fmt.Errorf("%w: the owner has excluded this voter", ErrForbidden)
	// ErrHidden says that rankings are shown when the voting has ended.
	ErrHidden = fmt.Errorf("%w: results are shown when the voting has ended", ErrForbidden)
	// ErrNothing says that there is no vote to take back.
	ErrNothing = errors.New("there is no vote to take back")
	// ErrStale says that a question is not the voter's open one any more: ask again.
	ErrStale = errors.New("the question is no longer open")
	// ErrTooMany says to come back later.
	ErrTooMany = errors.New("too many requests")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("server: %w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

func forbidden(format string, args ...any) error {
	return fmt.Errorf("server: %w: %s", ErrForbidden, fmt.Sprintf(format, args...))
}

// FieldError is an error of one field of what was sent, for a page to show it there.
type FieldError struct {
	Field string // title, question, items, space, ask, password
	Err   error
}

func (e *FieldError) Error() string { return e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// in says which field an error is of.
func in(field string, err error) error {
	if err == nil {
		return nil
	}
	return &FieldError{field, err}
}

// TooLong is an ErrInvalid of a text that is longer than one may be.
type TooLong struct {
	What        string
	Bytes, Most int
}

func (e *TooLong) Error() string {
	return invalid("%s of %d bytes; %d are the most", e.What, e.Bytes, e.Most).Error()
}

// Unwrap returns ErrInvalid.
func (e *TooLong) Unwrap() error { return ErrInvalid }
