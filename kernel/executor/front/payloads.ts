/** Payloads that running cells asked for, until their replies take them. */

import type { Payload } from '../../../src/notebook/payload.ts';
import { currentRequest } from '../context/cell-context.ts';

const ofRunning = new Map<string, Payload[]>();

/** From here on the cell's payloads are kept; those of code that outlives its cell have no reply to go with. */
export function collectPayloads(cell: string): void {
  ofRunning.set(cell, []);
}

export function addPayload(payload: Payload): void {
  ofRunning.get(currentRequest())?.push(payload);
}

export function takePayloads(cell: string): readonly Payload[] {
  const payloads = ofRunning.get(cell) ?? [];
  ofRunning.delete(cell);
  return payloads;
}
