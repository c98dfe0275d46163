/** Last resort for memory that people hold without disposing it: the garbage collector frees it. */

/** Frees memory that programs held and dropped without disposing it, when the garbage collector finds it. */
export type Finalizer = () => void;

const collected = new FinalizationRegistry<Finalizer>(finalize => finalize());

/** A finalizer that runs at most once, and lets go of what it holds when it has. */
export function once(finalizer: Finalizer | null): Finalizer {
  let pending = finalizer;
  return () => {
    const run = pending;
    pending = null;
    run?.();
  };
}

/** Runs `finalizer`, which must not reach `owner`, some time after the owner was collected. */
export function whenCollected(owner: object, finalizer: Finalizer): void {
  collected.register(owner, finalizer);
}
