/** Keeps values between `min` and `max`: the value is clamped to its bounds, and crossed bounds are refused. */

interface Bounds {
  min: number;
  max: number;
}

function refuseCrossed({ min, max }: Bounds, changed: ReadonlySet<string>, what: string): void {
  if (min <= max) return;
  throw new RangeError(
    changed.has('min') && !changed.has('max')
      ? `${what}.min must not be above max: ${min} > ${max}`
      : `${what}.max must not be below min: ${max} < ${min}`
  );
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

export function keepWithin(
  values: Bounds & { value: number },
  changed: ReadonlySet<string>,
  what: string
): void {
  refuseCrossed(values, changed, what);
  values.value = clamp(values.value, values.min, values.max);
}

/** Keeps the value within bounds that are exponents of `base`. */
export function keepPowerWithin(
  values: Bounds & { base: number; value: number },
  changed: ReadonlySet<string>,
  what: string
): void {
  refuseCrossed(values, changed, what);
  const { base, min, max, value } = values;
  values.value = clamp(value, base ** min, base ** max);
}

export function keepPairWithin(
  values: Bounds & { value: readonly [number, number] },
  changed: ReadonlySet<string>,
  what: string
): void {
  refuseCrossed(values, changed, what);
  const { min, max } = values;
  const [lower, upper] = values.value;
  if (lower > upper) throw new RangeError(`${what}.value must begin with its lower end: ${lower} > ${upper}`);
  values.value = Object.freeze([clamp(lower, min, max), clamp(upper, min, max)] as const);
}

/** Returns a check for optional bounds, which `measure` converts to numbers. */
export function keepBetween<Value>(measure: (value: Value) => number) {
  return (
    values: { min: Value | null; max: Value | null; value: Value | null },
    _changed: ReadonlySet<string>,
    what: string
  ): void => {
    const { min, max, value } = values;
    if (min !== null && max !== null && measure(min) > measure(max))
      throw new RangeError(`${what}.min must not be after max`);
    if (value === null) return;
    if (min !== null && measure(value) < measure(min)) values.value = min;
    if (max !== null && measure(value) > measure(max)) values.value = max;
  };
}
