/** The allocations of a manager in one context, which `reset` frees; later finalizers then do nothing (rule 186). */

export interface AllocatedBlock {
  readonly pointer: bigint;
  readonly bytes: number;
  readonly reusable?: boolean;
}

interface Entry {
  free: (() => void) | null;
  readonly block: AllocatedBlock | null;
}

export class AllocationTable {
  readonly #live = new Set<Entry>();

  get count(): number {
    return this.#live.size;
  }

  blocks(): AllocatedBlock[] {
    return [...this.#live].flatMap(({ block }) => block ?? []);
  }

  /** Adds an allocation, with its block if it is device memory; returns its finalizer, which does nothing after `clear`. */
  add(
    free: () => void,
    finalize: (free: () => void) => void,
    block: AllocatedBlock | null = null
  ): () => void {
    const entry: Entry = { free, block };
    this.#live.add(entry);
    return () => {
      if (entry.free === null) return;
      const run = entry.free;
      entry.free = null;
      this.#live.delete(entry);
      finalize(run);
    };
  }

  /** Frees all allocations, and then throws the first error of a free (rule 210). */
  clear(): void {
    const entries = [...this.#live];
    this.#live.clear();
    let failure: { readonly error: unknown } | undefined;
    for (const entry of entries) {
      const run = entry.free;
      entry.free = null;
      try {
        run?.();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}
