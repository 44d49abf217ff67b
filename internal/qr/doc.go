// Package qr draws QR codes of short texts, as addresses are.
//
//	code, err := qr.Encode("https://vote.example.org/b/5z97v0fzak2jc")
//	svg := code.SVG()
//
// Texts are bytes (ISO/IEC 18004, byte mode) at the error correction level M, which
// bears that 15 % of a code cannot be read, in versions 1 to 15: up to 412 bytes. That is
// all that links need, in fewer lines than the table of a library's modes.
//
// # Caveats
//
// Of the eight masks the one with the lowest penalty is taken, as the standard says, so
// that a code is a function of its text.
package qr
