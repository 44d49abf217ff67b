// Package pictures draws every chart and the page of a report at the sizes that people see
// them at: few, many and very many items, on a phone, a desk and a slide, light and dark.
// They are to be looked at; what can be said of them as a law is a test of package report.
package pictures
