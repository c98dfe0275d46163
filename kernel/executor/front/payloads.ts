/** Payloads of running cells, until their replies take them. */

import type { Payload } from '../../../src/notebook/payload.ts';
import { currentRequest } from '../context/cell-context.ts';

const ofRunning = new Map<string, Payload[]>();

/** Starts to collect payloads of the cell; code that outlives its cell has no reply to attach them to. */
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
