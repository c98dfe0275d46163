/** Names that cells give to what they import from Stridelab. */

/** Returns the names of an export, its own included: a cell may get that in another way. `library` is as in `CellFacts`. */
export function namesOf(exported: string, library: ReadonlyMap<string, string>): Set<string> {
  return new Set([exported, ...[...library].filter(([, each]) => each === exported).map(([name]) => name)]);
}
