/** What a person can mend: told in one sentence that names the fix, without a stack. */
export class SetupFailure extends Error {
  /** @param {string} sentence */
  constructor(sentence) {
    super(sentence);
    this.name = 'SetupFailure';
  }
}

/**
 * Runs a command's body. A `SetupFailure` ends the process with its sentence and status 1; any other error is a
 * defect of ours and keeps its stack.
 * @param {() => Promise<number>} body gives the exit status
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
