// Package clitest is what the tests of commands have in common: commands of scripts, and
// processes that are told to stop at any time ([Stoppable]).
package clitest
