/** The types of what a kernel's parameters and arrays are inside it. */

/** An array of a device, as a kernel sees it: `x[i]` is an element, or with more axes a row. `T` is a number type such as `f32`. */
export type DeviceArray<T, Rank extends 1 | 2 | 3 | 4 = 1> = Sizes & {
  [index: number]: Rank extends 4
    ? DeviceArray<T, 3>
    : Rank extends 3
      ? DeviceArray<T, 2>
      : Rank extends 2
        ? DeviceArray<T>
        : T;
};

interface Sizes {
  /** The length of the first axis. */
  readonly length: number;
  /** The lengths of the axes. */
  readonly shape: readonly number[];
  /** The number of elements. */
  readonly size: number;
}
