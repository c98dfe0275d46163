/** A failure that the user can fix: a sentence with the remedy, shown without a stack. */
export class SetupFailure extends Error {
  /** @param {string} sentence */
  constructor(sentence) {
    super(sentence);
    this.name = 'SetupFailure';
  }
}

/**
 * Runs a command's body. After a `SetupFailure` its sentence is shown and the status is 1; any other error is a
 * bug and is thrown with its stack.
 * @param {() => Promise<number>} body returns the exit status
 */
export async function runCommand(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
