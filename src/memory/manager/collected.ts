/** Frees memory that programs drop without disposing it, when the garbage collector finds it. */

/** Frees the memory of an allocation. Called once. */
export type Finalizer = () => void;

const collected = new FinalizationRegistry<Finalizer>(finalize => finalize());

/** Returns a finalizer that runs at most once, and releases what it references afterwards. */
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
