/** Why a question to the person in front of the notebook has no answer. */

/** The client does not take questions, or there is no cell on whose behalf one could be asked. Named as ipykernel names it. */
export class StdinNotImplementedError extends Error {
  readonly code = 'ERR_STDIN_NOT_IMPLEMENTED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinNotImplementedError';
  }
}

/** Nobody can answer any more: the input ended, or the cell that asked did. */
export class StdinClosedError extends Error {
  readonly code = 'ERR_STDIN_CLOSED';

  constructor(message: string) {
    super(message);
    this.name = 'StdinClosedError';
  }
}
