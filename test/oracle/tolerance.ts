/** Units in the last place by which a result may differ from the oracle's, which is accurate to half a unit. */

/** Transcendental functions; everything else is exact. */
const ANALYTIC: ReadonlySet<string> = new Set(
  (
    'cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf rsqrt ' +
    'atan2 hypot logaddexp pow'
  ).split(' ')
);

export function toleranceOf(call: string, dtype: string): number {
  if (dtype.startsWith('complex') && (ANALYTIC.has(call) || call === 'sqrt')) return 4;
  // Products and quotients of complex numbers round more than once.
  if (dtype.startsWith('complex') && (call === 'mean' || call === 'divide')) return 2;
  if (!ANALYTIC.has(call)) return 0;
  return dtype === 'float64' || dtype === 'float32' ? 2 : 1;
}
