/** Errors of questions to the notebook's user that have no answer. */

/** The client does not support questions, or the code runs outside a cell. Named as in ipykernel. */
export class StdinNotImplementedError extends Error {
  /** A stable identifier of the error class. */
  readonly code = 'ERR_STDIN_NOT_IMPLEMENTED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinNotImplementedError';
  }
}

/** The question can no longer be answered: the input or the cell that asked has ended. */
export class StdinClosedError extends Error {
  /** A stable identifier of the error class. */
  readonly code = 'ERR_STDIN_CLOSED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinClosedError';
  }
}
