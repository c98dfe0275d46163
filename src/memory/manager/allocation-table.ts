/** What a manager has handed out in one context, so that `reset` can free it and later finalizers are silent (rule 186). */

export class AllocationTable {
  readonly #live = new Set<{ free: (() => void) | null }>();

  /** Number of allocations that were not freed. */
  get count(): number {
    return this.#live.size;
  }

  /** Notes an allocation; the result is its finalizer, which does nothing after `clear`. */
  add(free: () => void, finalize: (free: () => void) => void): () => void {
    const entry: { free: (() => void) | null } = { free };
    this.#live.add(entry);
    return () => {
      if (entry.free === null) return;
      const run = entry.free;
      entry.free = null;
      this.#live.delete(entry);
      finalize(run);
    };
  }

  /** Frees everything at once. The first error is thrown when all were tried (rule 210). */
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
