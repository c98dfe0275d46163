/** The kernel's answers to requests for an array's values or bytes. Pure types and constants; imports neither Node nor the DOM. */

/** Default number of columns into which an array of one axis is folded. */
export const FOLD = 8;
/** Bytes in a row. */
export const BYTES_ROW = 16;

/** Part of a grid of cells, and which part. */
export interface PageOfCells {
  /** Of the whole grid. */
  readonly height: number;
  readonly width: number;
  /** Of the first cell told. */
  readonly row: number;
  readonly column: number;
  readonly cells: readonly (readonly string[])[];
  /** The cell that was asked for by the index of an element. */
  readonly cursor: readonly [row: number, column: number] | null;
  readonly copiedBytes: number;
  readonly stream: string;
}

/** Values over the last two axes; those of an array of one axis are folded into rows of `width`. */
export interface ValuesPage extends PageOfCells {
  /** Indices of the other axes. */
  readonly leading: readonly number[];
}

/** Bytes as two hexadecimal digits each. */
export interface BytesPage extends PageOfCells {
  /** Of the memory, from `address` on (hexadecimal). */
  readonly storageBytes: number;
  readonly address: string;
  /** Offset, index and value of the elements that have a byte here, by offset. */
  readonly elements: readonly (readonly [offset: number, index: readonly number[], text: string])[];
  /** Of the numbers that an element is made of: two in a complex one. */
  readonly number: NumberLayout | null;
}

/** How bits make a number. Integers have no exponent. */
export interface NumberLayout {
  readonly bytes: number;
  readonly sign: number;
  readonly exponent: number;
  /** Subtracted from the exponent. */
  readonly bias: number;
}

/** What a page is asked by: the index of an element, or a cell that it is to hold. */
export interface PageRequest {
  readonly index?: readonly number[] | undefined;
  readonly leading?: readonly number[] | undefined;
  readonly row?: number | undefined;
  readonly column?: number | undefined;
  readonly rows: number;
  readonly columns: number;
}
