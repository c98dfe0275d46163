/** The end of a pipe that reads this command's output, as in `stridelab run script.ts | head`. */

export class BrokenPipe {
  /** Whether the run was ended, because nobody reads its only output. */
  ended = false;

  /** `ends`: the run ends with its reader; otherwise it continues, for the notebook that it writes. */
  constructor(ends: boolean) {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (!ends || this.ended) return;
      this.ended = true;
      process.kill(process.pid, 'SIGINT');
    });
    process.stderr.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
