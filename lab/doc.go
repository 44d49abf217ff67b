// Command lab is where palate is measured: nothing that users of palate need, and
// nothing that palate imports.
package main
