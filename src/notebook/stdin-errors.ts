/** Why a question to the person in front of the notebook has no answer. */

/** The client does not support questions, or the code runs outside a cell. Named as in ipykernel. */
export class StdinNotImplementedError extends Error {
  /** A stable identifier of the error class. */
  readonly code = 'ERR_STDIN_NOT_IMPLEMENTED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinNotImplementedError';
  }
}

/** Nobody can answer the question any more: the input ended, or the cell that asked did. */
export class StdinClosedError extends Error {
  /** A stable identifier of the error class. */
  readonly code = 'ERR_STDIN_CLOSED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinClosedError';
  }
}
