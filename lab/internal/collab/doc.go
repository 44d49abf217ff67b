// Package collab is COLLAB's family of models as the paper has it, so that the paper can
// be checked: GP terms over items, matrix factors, or both, with an approximation each
// ([Families]). [Learn] fits a member by EM on the engine of package population.
//
// What palate offers is the population model, which is better on all of the paper's data.
package collab
