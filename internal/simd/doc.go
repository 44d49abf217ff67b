// Package simd is where Palate's time goes: dense algebra, kernel matrices and the functions of the normal distribution, in AVX2
// and FMA assembly, with a twin in plain Go for every routine.
//
// # Use
//
// Routines have the names of gonum's blas64 and lapack64, and work on the same types:
//
//	simd.Gemm(blas.NoTrans, blas.Trans, 1, a.RawMatrix(), b.RawMatrix(), 0, c.RawMatrix())
//
// Mul and MulVec are the methods of gonum's mat. Nothing is registered with gonum, so that a
// program that imports the package is as it was before; BLAS and LAPACK are there to be
// registered by programs that want to.
//
// What gonum has no name for is called directly: Exp, Log and Probit on vectors; Euclidean and Product on
// dense rows, and the same on CSR rows, where only shared non-zero features are touched; Factor and Solve on batches of small
// systems. In a checkout, go run ./lab bench measures
// all of it against the machine's peak.
//
// # Goroutines
//
// Large calls are cut into tiles and shared out over GOMAXPROCS goroutines. An entry's sum never depends on how the tiles were
// cut, so the bits are the same on any number. Work that is itself parallel should run under Parallel: inside it every routine
// stays on its own goroutine. BLAS{Serial: true} does so for one call.
//
// # Assembly and twins
//
// The assembly is written by the generator in gen (a module of its own; go generate runs it) and used where the processor has AVX2
// and FMA and the operating system saves their registers. Elsewhere, and with -tags noasm, the twins run. The two agree
//
//   - for exp and log within 2 ulp, each being within 1 ulp of the truth;
//   - for Φ, log Φ, φ/Φ and 1−h(z+h) within 32 ulp, each being within 10⁻¹⁴ of itself of the truth;
//   - for sums of n products within 4·10⁻¹⁶·(n+3) of the sum of their sizes, for Cholesky and triangular solves within the same of
//     what the factors multiply out to;
//   - for kernel values of D features within 4·10⁻¹⁶·(D+40) of themselves, for sparse ones within 2·10⁻¹².
//
// # How it is done
//
// One 4×12 tile of C, held in twelve registers, serves GEMM, SYRK, TRSM, TRMM and Cholesky: its left operand has free strides, so
// packed, plain and transposed matrices are all read in place. Cholesky up to n = 512 works unpacked on a padded row-major copy;
// above that it and the triangular routines halve the matrix.
//
// e^x is 2ⁿ·e^r with |r| ≤ ½log 2. Φ goes through the Mills ratio R(t) = Φ(−t)/φ(t): (t+4)·R(t) is one polynomial in
// (t−4)/(t+4) on the whole half line, so there are no branches and no loss in the tails; 1−h(z+h) has a polynomial of its own,
// for it cancels where it is small. All coefficients are Chebyshev interpolants computed in 60 digits by gen/fit.py, which also
// writes the truth the tests compare with.
//
// A product of Matérn kernels is one exponential: Π(1+a)·e^−a = e^−Σa·Π(1+a), the product kept as mantissa and exponent. Sparse rows
// start from their sums against the origin, and an index of the features finds and corrects what two rows share.
//
// # Caveats
//
// An exact zero does not hide a NaN or an infinity in the other factor of a product, as it does in gonum. Kernel values below
// 10⁻³⁰⁸ are 0. Differences of features are taken after scaling, so a feature that lies 10⁶ length-scales from the origin is
// compared to 10⁻¹⁰ of a length-scale.
package simd

//go:generate sh -c "cd gen && go run . -dir .."
