/** The kernel's answers to requests for an array's values or bytes. Pure types and constants; imports neither Node nor the DOM. */

/** Default number of columns into which a 1-D array is folded. */
export const FOLD = 8;
export const BYTES_ROW = 16;

/** A part of a grid of cells, with its position. */
export interface PageOfCells {
  /** Size of the whole grid. */
  readonly height: number;
  readonly width: number;
  /** Position of the first cell in the page. */
  readonly row: number;
  readonly column: number;
  readonly cells: readonly (readonly string[])[];
  /** The cell of the requested element index. */
  readonly cursor: readonly [row: number, column: number] | null;
  readonly copiedBytes: number;
  readonly stream: string;
}

/** Values over the last two axes; a 1-D array is folded into rows of `width`. */
export interface ValuesPage extends PageOfCells {
  /** Indices of the other axes. */
  readonly leading: readonly number[];
}

/** Bytes as two hexadecimal digits each. */
export interface BytesPage extends PageOfCells {
  /** Address of the memory, in hexadecimal. */
  readonly address: string;
  /** Offset, index and value of the elements with a byte in the page, by offset. */
  readonly elements: readonly (readonly [offset: number, index: readonly number[], text: string])[];
  /** Layout of the numbers in an element: two in a complex one. */
  readonly number: NumberLayout | null;
}

/** Bit layout of a number. Integers have no exponent. */
export interface NumberLayout {
  readonly bytes: number;
  readonly sign: number;
  readonly exponent: number;
  /** Subtracted from the exponent. */
  readonly bias: number;
}

/** Request for a page: the index of an element, or a cell that it must contain. */
export interface PageRequest {
  readonly index?: readonly number[] | undefined;
  readonly leading?: readonly number[] | undefined;
  readonly row?: number | undefined;
  readonly column?: number | undefined;
  readonly rows: number;
  readonly columns: number;
}
