/** Returns a function that schedules `run` for the next frame, once for any number of calls, until `signal` is aborted. */
export function oncePerFrame(signal: AbortSignal, run: () => void): () => void {
  let frame = 0;
  signal.addEventListener('abort', () => cancelAnimationFrame(frame));
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      run();
    });
  };
}
