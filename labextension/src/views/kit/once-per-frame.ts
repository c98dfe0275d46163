/** Returns a function that has `run` called in the next frame, once however often it is wanted, until `signal` is aborted. */
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
