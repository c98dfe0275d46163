/** What the kernel answers who looks at an array's values or bytes. Pure types; imports neither Node nor the DOM. */

export interface ValuesPage {
  /** Of the first value: indices of the leading axes, the row and the column. */
  readonly leading: readonly number[];
  readonly row: number;
  readonly column: number;
  readonly rows: readonly (readonly string[])[];
  readonly copiedBytes: number;
  readonly stream: string;
}

export interface BytesPage {
  /** Offset of the first byte in the storage, which has `storageBytes` bytes from `address` on (hexadecimal). */
  readonly start: number;
  readonly storageBytes: number;
  readonly address: string;
  /** Offset of the array's first element, and what the array spans. */
  readonly first: number;
  /** Offset, index and value of the elements that have a byte here, by offset. */
  readonly elements: readonly (readonly [offset: number, index: readonly number[], text: string])[];
  readonly copiedBytes: number;
  readonly stream: string;
}
